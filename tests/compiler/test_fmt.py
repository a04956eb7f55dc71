"""`trainc fmt`, and that it changes nothing but layout."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from trainc.compiler.cli.fmt import command
from trainc.compiler.driver import Analysis, analyse
from trainc.compiler.emit import emit
from trainc.dsl import formatter
from trainc.dsl.formatter import format_source
from trainc.dsl.source import Source

UGLY, PRETTY = "let a=[1,2]\n", "let a = [1, 2]\n"
SPECS = [
    *(file.resolve() for file in sorted(Path("tests/cases/bundles").glob("*/spec.train"))),
    Path("examples/quickstart/quickstart.train").resolve(),
    Path("stdlib/recipes/first.train").resolve(),
]
RULES = Path("tests/cases/rules").resolve()
PLACE = re.compile(rb"# (\S+):\d+ ")


def fmt(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(command, arguments, input=stdin, catch_exceptions=False)


@pytest.fixture
def ugly(tmp_path: Path) -> Path:
    (tmp_path / "ugly.train").write_text(UGLY)
    return tmp_path / "ugly.train"


# What is written


def test_files_are_rewritten_in_place(ugly: Path) -> None:
    result = fmt(str(ugly))
    assert (result.exit_code, result.stdout) == (0, "1 file reformatted, 0 left unchanged\n")
    assert ugly.read_text() == PRETTY


def test_folders_are_searched_and_a_file_named_twice_counts_once(ugly: Path) -> None:
    (ugly.parent / "deep").mkdir()
    (ugly.parent / "deep" / "fine.train").write_text(PRETTY)
    assert fmt(str(ugly.parent), f"{ugly.parent}/./ugly.train").stdout == "1 file reformatted, 1 left unchanged\n"


def test_a_file_in_canonical_form_is_not_touched(ugly: Path) -> None:
    ugly.write_text(PRETTY)
    before = ugly.stat()
    assert fmt(str(ugly)).exit_code == 0
    assert (ugly.stat().st_mtime_ns, ugly.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_mode_and_owner_are_kept_and_nothing_is_left_beside(ugly: Path) -> None:
    ugly.chmod(0o640)
    owner = ugly.stat().st_uid
    assert fmt(str(ugly)).exit_code == 0
    assert (stat.S_IMODE(ugly.stat().st_mode), ugly.stat().st_uid) == (0o640, owner)
    assert list(ugly.parent.iterdir()) == [ugly]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_stays_its_owners_when_root_formats_it(ugly: Path) -> None:
    os.chown(ugly, 12345, 12346)
    assert fmt(str(ugly)).exit_code == 0
    assert (ugly.stat().st_uid, ugly.stat().st_gid) == (12345, 12346)


def test_what_a_link_leads_to_is_rewritten(ugly: Path) -> None:
    link = ugly.parent / "link.train"
    link.symlink_to("ugly.train")
    assert fmt(str(link)).exit_code == 0
    assert link.is_symlink()
    assert ugly.read_text() == PRETTY


def test_line_ends_stay_and_a_byte_order_mark_goes(ugly: Path) -> None:
    ugly.write_bytes(b"\xef\xbb\xbflet a = 1\r\n")
    assert fmt("--check", str(ugly)).exit_code == 1
    assert fmt(str(ugly)).exit_code == 0
    assert ugly.read_bytes() == b"let a = 1\r\n"


def test_a_file_that_does_not_parse_is_left_and_the_others_are_not(ugly: Path) -> None:
    (ugly.parent / "broken.train").write_text("let a=[1\n")
    result = fmt(str(ugly.parent))
    assert result.exit_code == 1
    assert "error[TRN007]" in result.stdout
    assert "1 file reformatted, 1 left unchanged" in result.stdout
    assert (ugly.parent / "broken.train").read_text() == "let a=[1\n"
    assert ugly.read_text() == PRETTY


@pytest.mark.parametrize("content", [None, b"let a = \xff"])
def test_an_unreadable_file_exits_with_2_and_the_others_are_formatted(content: bytes | None, ugly: Path) -> None:
    bad = ugly.parent / "bad.train"
    if content is not None:
        bad.write_bytes(content)
    result = fmt(str(bad), str(ugly))
    assert result.exit_code == 2
    assert "TRN15" in result.stdout
    assert ugly.read_text() == PRETTY


def test_a_path_that_cannot_be_one_is_a_finding() -> None:
    assert "error[TRN150]" in fmt("a\0b").stdout
    assert fmt("a" * 5000).exit_code == 2


def test_a_failed_write_is_a_finding_and_leaves_the_file(ugly: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, "fmt", str(ugly)],
        capture_output=True,
        text=True,
        check=False,
        # As on a full disk: no byte can be written to a file.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert result.returncode == 1
    assert "error[TRN849]: cannot rewrite" in result.stdout
    assert ugly.read_text() == UGLY
    assert list(ugly.parent.iterdir()) == [ugly]


# What is only shown


def test_check_lists_what_would_change_and_writes_nothing(ugly: Path) -> None:
    (ugly.parent / "fine.train").write_text(PRETTY)
    result = fmt("--check", str(ugly.parent))
    assert (result.exit_code, result.stdout) == (1, f"{ugly}\n")
    assert ugly.read_text() == UGLY


def test_check_of_files_in_canonical_form_is_silent(ugly: Path) -> None:
    ugly.write_text(PRETTY)
    result = fmt("--check", str(ugly))
    assert (result.exit_code, result.stdout) == (0, "")


def test_diff_prints_the_change_and_writes_nothing(ugly: Path) -> None:
    result = fmt("--diff", str(ugly))
    assert (result.exit_code, ugly.read_text()) == (1, UGLY)
    assert result.stdout == f"--- {ugly}\n+++ {ugly}\n@@ -1 +1 @@\n-{UGLY}+{PRETTY}"


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
def test_a_diff_can_be_applied(ugly: Path) -> None:
    ugly.write_bytes('let x="""\n\u2028\x85\r\n"""\r\nlet a=[1,2]'.encode())
    change = fmt("--diff", str(ugly)).stdout_bytes
    subprocess.run(["patch", "--binary", "--quiet", str(ugly)], input=change, check=True)
    assert fmt("--check", str(ugly)).exit_code == 0


def test_standard_input_goes_to_standard_output() -> None:
    result = fmt("-", stdin=UGLY.encode())
    assert (result.exit_code, result.stdout) == (0, PRETTY)
    assert fmt("-", stdin=b"let a=1\r\n").stdout_bytes == b"let a = 1\r\n"


def test_findings_of_standard_input_do_not_get_into_the_text() -> None:
    result = fmt("-", stdin=b"let a=[1\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "stdin.train:1:7" in result.stderr


def test_standard_input_can_be_checked_and_stands_alone() -> None:
    assert (fmt("--check", "-", stdin=UGLY.encode()).exit_code, fmt("--check", "-", stdin=PRETTY.encode()).exit_code) == (1, 0)
    assert fmt("-", "other.train").exit_code == 2


# What it means


def canonical(folder: Path) -> None:
    for file in folder.rglob("*.train"):
        text = format_source(Source(file.name, file.read_bytes().decode())).text
        assert text is not None
        file.write_text(text)


def scrambled(folder: Path) -> None:
    """As a careless author writes: no alignment, no indentation, blocks of one line broken."""
    for file in folder.rglob("*.train"):
        text = re.sub(r"^ +", "", re.sub(r" +", " ", file.read_text()), flags=re.M)
        file.write_text(re.sub(r"^([^#\n]*) }$", r"\1\n\n\n}", text, flags=re.M))


def bundle_of(analysis: Analysis, settings: dict[str, str]) -> dict[str, bytes]:
    """What is compiled, without the copy of the spec, its hash, and the numbers of its lines."""
    assert analysis.plan is not None
    assert analysis.programs is not None
    made = emit(analysis.plan, analysis.programs, analysis.library, settings)
    own = {path: content for path, content in made.files.items() if path != "bundle.json" and not path.startswith("spec/")}
    return {path: PLACE.sub(rb"# \1 ", content) if path.endswith("train.py") else content for path, content in own.items()}


@pytest.mark.parametrize("careless", [False, True])
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.parent.name)
def test_a_formatted_spec_compiles_to_the_same_bundle(spec: Path, careless: bool, tmp_path: Path) -> None:
    settings_file = spec.parent / "settings.json"
    settings = json.loads(settings_file.read_text()) if settings_file.exists() else {}
    before = bundle_of(analyse(spec, settings), settings)
    folder = tmp_path / "copy"
    shutil.copytree(spec.parent, folder)
    if careless:
        scrambled(folder)
    canonical(folder)
    after = bundle_of(analyse(folder / spec.name, settings), settings)
    assert after == before
    assert any(path.endswith("plan.json") for path in after)


def test_formatted_specs_have_the_same_findings(tmp_path: Path) -> None:
    shutil.copytree(RULES, tmp_path / "rules")
    canonical(tmp_path / "rules")
    for spec in sorted(RULES.glob("*.train")):
        codes = [
            Counter((finding.code, finding.message) for finding in analyse(folder / spec.name, {}).findings)
            for folder in (RULES, tmp_path / "rules")
        ]
        assert codes[0] == codes[1], spec.name


def test_the_specs_that_come_with_trainc_are_in_canonical_form() -> None:
    # Not examples/mistakes: what is there need not parse.
    result = fmt("--check", "stdlib", "examples/quickstart", "examples/plans", "examples/sft_lora")
    assert (result.exit_code, result.stdout) == (0, "")


def test_what_was_found_canonical_is_not_formatted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canonical, other = "let a = 1\n", "let  a = 1\n"
    (tmp_path / "one.train").write_text(canonical)
    (tmp_path / "two.train").write_text(other)
    monkeypatch.chdir(tmp_path)
    looked: list[str] = []

    def counting(source: Source) -> formatter.Formatted:
        looked.append(source.name)
        return real(source)

    real = formatter.format_source
    monkeypatch.setattr(formatter, "format_source", counting)

    def fmt() -> tuple[int, list[str]]:
        looked.clear()
        return CliRunner().invoke(command, ["--check", "one.train", "two.train"]).exit_code, list(looked)

    assert fmt() == (1, ["one.train", "two.train"])
    assert fmt() == (1, ["two.train"])
    (tmp_path / "one.train").write_text(other)
    assert fmt() == (1, ["one.train", "two.train"])


def test_what_an_editor_sends_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fmt("-", stdin=PRETTY.encode()).stdout_bytes == PRETTY.encode()
    assert list(tmp_path.iterdir()) == []
