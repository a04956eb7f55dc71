from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

BAD = "let x = nowhere\n"


@pytest.fixture
def repository(check: Any, tmp_path: Path) -> Path:
    """Four specs with a fault each in one commit; `user.train` imports `deep/parts.train` through `deep/between.train`."""
    (tmp_path / ".git").rmdir()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "parts.train").write_text("let n = 1\n")
    (tmp_path / "deep" / "between.train").write_text('import "./parts.train"\nlet n = parts.n\n')
    (tmp_path / "user.train").write_text('import "./deep/between.train"\nlet y = between.n + nowhere\n')
    (tmp_path / "alone.train").write_text(BAD)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "specs")


def test_what_did_not_change_is_not_checked(check: Any, repository: Path) -> None:
    result = check(".", "--changed-since", "HEAD")
    assert (result.exit_code, result.stdout) == (0, "0 specs checked, no findings\n4 specs not changed since HEAD\n")


@pytest.mark.parametrize("stage", ["worktree", "index", "commit"])
def test_a_changed_spec_is_checked_wherever_the_change_stands(stage: str, check: Any, repository: Path) -> None:
    (repository / "alone.train").write_text(BAD + "# more\n")
    if stage != "worktree":
        git(repository, "add", "--all")
    if stage == "commit":
        git(repository, "commit", "--quiet", "--message", "more")
    result = check(".", "--changed-since", "HEAD~1" if stage == "commit" else "HEAD")
    assert result.exit_code == 1
    assert "alone.train:1:9" in result.stdout
    assert "user.train" not in result.stdout
    assert result.stdout.endswith("3 specs not changed since HEAD" + ("~1\n" if stage == "commit" else "\n"))


def test_a_new_file_counts_before_git_knows_it(check: Any, repository: Path) -> None:
    (repository / "new.train").write_text(BAD)
    assert "new.train:1:9" in check(".", "--changed-since", "HEAD").stdout


@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_a_spec_that_imports_a_changed_file_is_checked(change: str, check: Any, repository: Path) -> None:
    parts = repository / "deep" / "parts.train"
    parts.unlink() if change == "deleted" else parts.write_text("let n = 2\n")
    result = check("user.train", "alone.train", "--changed-since", "HEAD")
    assert result.exit_code == 1
    assert "user.train:2:" in result.stdout
    assert ("TRN152" in result.stdout) is (change == "deleted")
    assert "alone.train" not in result.stdout


def test_a_folder_below_the_root_of_the_repository_is_enough(check: Any, repository: Path) -> None:
    (repository / "deep" / "parts.train").write_text(BAD)
    result = check("deep", "--changed-since", "HEAD")
    assert "parts.train:1:9" in result.stdout
    assert "0 specs not changed" in result.stdout


@pytest.mark.parametrize("revision", ["nowhere", "--help", ""])
def test_an_unknown_revision_is_wrong_usage(revision: str, check: Any, repository: Path) -> None:
    result = check(".", f"--changed-since={revision}")
    assert result.exit_code == 2
    assert f"no revision `{revision}`" in result.stderr


def test_outside_of_a_repository_it_is_wrong_usage(check: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / ".git").rmdir()
    (tmp_path / "a.train").write_text(BAD)
    result = check("a.train", "--changed-since", "HEAD")
    assert result.exit_code == 2
    assert "needs a git repository" in result.stderr


def test_without_git_it_is_wrong_usage(check: Any, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    result = check(".", "--changed-since", "HEAD")
    assert result.exit_code == 2
    assert "needs git" in result.stderr


def test_standard_input_has_no_revision(check: Any, repository: Path) -> None:
    result = check("-", "--changed-since", "HEAD")
    assert result.exit_code == 2
    assert "standard input" in result.stderr
