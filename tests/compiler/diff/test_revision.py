from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from trainc.compiler.diff.revision import load_revision
from trainc.compiler.reading import UnreadableError


def git(*arguments: str, cwd: Path) -> None:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone whose first commit holds a spec and what it imports, both changed since; tests stand in it."""
    (tmp_path / "specs" / "parts").mkdir(parents=True)
    spec, part = tmp_path / "specs" / "spec.train", tmp_path / "specs" / "parts" / "numbers.train"
    spec.write_text('import std.gpus\nimport "./parts/numbers.train"\nlet a = numbers.n\n')
    part.write_text("let n = 1\n")
    git("init", "-q", "-b", "main", cwd=tmp_path)
    git("add", ".", cwd=tmp_path)
    git("commit", "-q", "-m", "first", cwd=tmp_path)
    spec.write_text("let b = 2\n")
    part.unlink()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fault(subject: str) -> tuple[str, str | None]:
    with pytest.raises(UnreadableError) as raised:
        load_revision(subject)
    return raised.value.finding.code, raised.value.finding.help


def test_a_spec_and_its_imports_come_from_the_same_revision(clone: Path) -> None:
    library = load_revision("HEAD:specs/spec.train")
    assert library.findings == ()
    assert library.root.file.source.name == "HEAD:specs/spec.train"
    assert library.modules["parts/numbers.train"].file.source.text == "let n = 1\n"
    assert library.modules["parts/numbers.train"].file.source.name == "HEAD:specs/parts/numbers.train"


def test_the_index_is_the_revision_without_a_name(clone: Path) -> None:
    (clone / "specs" / "spec.train").write_text("let staged = 1\n")
    git("add", "specs/spec.train", cwd=clone)
    (clone / "specs" / "spec.train").write_text("let later = 1\n")
    assert load_revision(":specs/spec.train").root.file.source.text == "let staged = 1\n"


def test_a_path_with_a_dot_begins_here(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone / "specs")
    assert load_revision("main:./spec.train").root.label == "spec.train"
    assert fault("main:spec.train") == ("TRN864", "did you mean `main:./spec.train`?")


def test_an_import_that_the_revision_lacks_is_a_finding(clone: Path) -> None:
    git("rm", "-q", "--cached", "specs/parts/numbers.train", cwd=clone)
    git("commit", "-q", "-m", "second", cwd=clone)
    (clone / "specs" / "parts" / "numbers.train").write_text("let n = 1\n")
    (finding,) = load_revision("HEAD:specs/spec.train").findings
    assert (finding.code, finding.message) == (
        "TRN152",
        'cannot import "./parts/numbers.train": `HEAD` holds no file `specs/parts/numbers.train`',
    )


def test_what_git_does_not_know(clone: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fault("mian:specs/spec.train")[0] == "TRN863"
    assert fault("--all:specs/spec.train")[0] == "TRN863"
    assert fault("HEAD:specs/absent.train")[0] == "TRN864"
    assert fault("HEAD:../outside.train")[0] == "TRN864"
    monkeypatch.chdir(tmp_path_factory.mktemp("no-clone"))
    assert fault("HEAD:spec.train")[0] == "TRN862"


def test_without_git_a_revision_cannot_be_read(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(clone))
    assert fault("HEAD:specs/spec.train")[0] == "TRN862"
