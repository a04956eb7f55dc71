"""The hooks for pre-commit: they call commands that exist, `init` writes the same ones, and pre-commit runs them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml
from trainc.compiler.cli.group import trainc
from trainc.compiler.cli.init import PRE_COMMIT, WORKFLOW

ROOT = Path(__file__).parents[2]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
PRE_COMMIT_PROGRAM = shutil.which("pre-commit")


def command_of(words: list[str]) -> str:
    """The command that a line such as `trainc check --strict .` calls; it takes the options of the line."""
    assert words[0] == "trainc"
    command = trainc.get_command(click.Context(trainc), words[1])
    assert command is not None, f"trainc has no {words[1]}"
    command.make_context(words[1], words[2:] or ["."])
    return words[1]


def test_each_hook_calls_a_command_of_trainc() -> None:
    assert [hook["id"] for hook in HOOKS] == ["trainc-check", "trainc-fmt"]
    for hook in HOOKS:
        assert hook["id"] == f"trainc-{command_of(hook['entry'].split())}"
        assert hook["language"] == "python"


def test_the_hooks_take_specs_and_nothing_else() -> None:
    for hook in HOOKS:
        found = [name for name in ("a.train", "b/c.train", "train", "a.train.bak", "a_train") if re.search(hook["files"], name)]
        assert found == ["a.train", "b/c.train"]


def test_init_writes_the_same_hooks() -> None:
    (repository,) = yaml.safe_load(PRE_COMMIT)["repos"]
    same = ("id", "name", "entry", "files")
    assert [[hook[key] for key in same] for hook in repository["hooks"]] == [[hook[key] for key in same] for hook in HOOKS]


def test_the_workflow_that_init_writes_calls_commands_of_trainc() -> None:
    steps = yaml.safe_load(WORKFLOW)["jobs"]["check"]["steps"]
    lines = [step["run"].split() for step in steps if "run" in step]
    assert lines[0] == ["pip", "install", "trainc"]
    assert [command_of(line) for line in lines[1:]] == ["fmt", "check"]


@pytest.mark.slow
def test_the_workflow_that_init_writes_has_the_form_that_github_asks_for(tmp_path: Path) -> None:
    (tmp_path / "specs.yml").write_text(WORKFLOW)
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(tmp_path / "specs.yml")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


# With pre-commit itself, which builds trainc anew in an environment of its own: minutes, and the package index.


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hooked")
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / "ugly.train").write_text("let x=1\n")
    (folder / "two words.train").write_text("let x = (\n")
    (folder / "other.txt").write_text("let x=1\n")
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    return folder


def try_hook(hook: str, repository: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(PRE_COMMIT_PROGRAM), "try-repo", str(ROOT), hook, "--all-files"]
    environment["PRE_COMMIT_HOME"] = str(cache)
    return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(PRE_COMMIT_PROGRAM is None, reason="needs pre-commit on PATH")
def test_pre_commit_runs_the_hooks_of_this_repository(repository: Path, tmp_path: Path) -> None:
    checked = try_hook("trainc-check", repository, tmp_path)
    assert checked.returncode == 1
    assert "two words.train:1:9" in checked.stdout
    formatted = try_hook("trainc-fmt", repository, tmp_path)
    assert formatted.returncode == 1
    assert "files were modified by this hook" in formatted.stdout
    assert (repository / "ugly.train").read_text() == "let x = 1\n"
    assert (repository / "other.txt").read_text() == "let x=1\n"
