"""The GitHub action: its form, that no input can become shell code, and what its scripts call."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "editors" / "action"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
HOSTILE = ["$(touch pwned)", "`touch pwned`", "; touch pwned", "a b*?.train", '"quoted"', "--strict", "-", "${HOME}", "é\\n"]

# Writes down how it was called, makes the file that it was told to write, and ends as it was told.
RECORDER = """\
#!{python}
import json, os, sys
with open(os.environ["RECORD"], "a") as record:
    record.write(json.dumps(sys.argv) + "\\n")
if "--output" in sys.argv:
    open(sys.argv[sys.argv.index("--output") + 1], "w").close()
sys.exit(int(os.environ.get("RECORDED_CODE", "0")))
"""


@dataclass(frozen=True)
class Ran:
    code: int
    shown: str
    calls: list[list[str]]
    outputs: dict[str, str]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that records its calls, in a folder of its own."""
    folder = tmp_path / "programs"
    folder.mkdir()
    file = folder / "trainc"
    file.write_text(RECORDER.format(python=sys.executable))
    file.chmod(0o755)
    return file


def ran(script: str, folder: Path, **variables: str) -> Ran:
    record, output = folder / "record", folder / "output"
    work = folder / "work"
    work.mkdir()
    environment = {"PATH": os.environ["PATH"], "RECORD": str(record), "GITHUB_OUTPUT": str(output), **variables}
    result = subprocess.run(["bash", SCRIPTS / script], cwd=work, env=environment, capture_output=True, text=True, check=False)
    calls = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines()) if output.exists() else {}
    assert not (work / "pwned").exists()
    return Ran(result.returncode, result.stdout + result.stderr, calls, outputs)


def checked(program: Path, paths: str = ".", args: str = "", form: str = "github", sarif: str = "out.sarif", code: int = 0) -> Ran:
    inputs = {"TRAINC_PATHS": paths, "TRAINC_ARGS": args, "TRAINC_FORMAT": form, "TRAINC_SARIF": sarif}
    return ran("check.sh", program.parents[1], TRAINC_PROGRAMS=str(program.parent), RECORDED_CODE=str(code), **inputs)


# Form


def test_no_input_is_part_of_a_shell_text() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 2
    assert not [script for script in scripts if "${{" in script]


def test_every_input_is_used_and_every_used_one_is_declared() -> None:
    used = set(re.findall(r"\binputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])


def test_every_variable_of_the_scripts_is_given_by_the_action() -> None:
    given = {name for step in STEPS for name in step.get("env", {})}
    needed = {name for script in SCRIPTS.glob("*.sh") for name in re.findall(r"\$\{?(TRAINC_[A-Z]+)", script.read_text())}
    assert needed == given


def test_every_output_comes_from_a_script() -> None:
    written = set(re.findall(r'echo "([a-z-]+)=', "".join(script.read_text() for script in SCRIPTS.glob("*.sh"))))
    assert set(re.findall(r"steps\.(?:check|install)\.outputs\.([a-z-]+)", (ROOT / "action.yml").read_text())) == written
    assert set(ACTION["outputs"]) <= written


@pytest.mark.slow
def test_the_action_has_the_form_that_github_asks_for() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_a_wrong_action_would_be_noticed(tmp_path: Path) -> None:
    wrong = {**ACTION, "runs": {**ACTION["runs"], "steps": [{"run": "true"}]}}
    (tmp_path / "action.yml").write_text(yaml.safe_dump(wrong))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", str(tmp_path / "action.yml")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def test_the_scripts_satisfy_shellcheck() -> None:
    program = Path(sys.executable).with_name("shellcheck")
    scripts = sorted(SCRIPTS.glob("*.sh"))
    assert len(scripts) == 2
    result = subprocess.run([program, *scripts], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


# What the scripts do


def test_hostile_paths_are_paths(program: Path) -> None:
    result = checked(program, "\n".join(HOSTILE))
    (call,) = result.calls
    assert call[1:] == ["check", "--format", "github", "--", *HOSTILE]


def test_hostile_arguments_are_words(program: Path) -> None:
    result = checked(program, args=" ".join(HOSTILE[:3]) + "\n*\t--strict")
    (call,) = result.calls
    assert call[1:-4] == ["check", *" ".join(HOSTILE[:3]).split(), "*", "--strict"]


def test_blanks_around_paths_and_empty_lines_do_not_count(program: Path) -> None:
    (call,) = checked(program, "\n  specs/a b.train \r\n\n\tmore\n").calls
    assert call[-2:] == ["specs/a b.train", "more"]


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_exit_code_is_that_of_the_check(program: Path, code: int) -> None:
    result = checked(program, code=code)
    assert (result.code, result.outputs) == (code, {"exit-code": str(code)})


def test_sarif_is_written_and_named_also_where_there_are_findings(program: Path) -> None:
    result = checked(program, form="sarif", sarif="a b.sarif", code=1)
    assert result.calls[0][1:] == ["check", "--format", "sarif", "--output", "a b.sarif", "--", "."]
    assert result.outputs == {"exit-code": "1", "sarif": "a b.sarif"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"paths": " \n"}, "`paths`"),
        ({"form": "json"}, "`format`"),
        ({"form": "sarif", "sarif": "a\nexit-code=0"}, "`sarif-file`"),
    ],
)
def test_a_wrong_input_is_said_before_anything_runs(program: Path, wrong: dict[str, str], message: str) -> None:
    result = checked(program, **wrong)
    assert (result.code, result.calls, result.outputs) == (2, [], {})
    assert result.shown.startswith("::error title=trainc::")
    assert message in result.shown


def installed(program: Path, version: str) -> Ran:
    """What the install script calls; the virtual environment that `python -m venv` would make is there already."""
    environment = program.parents[1] / "temp" / "trainc" / "bin"
    environment.mkdir(parents=True)
    shutil.copy(program, environment / "python")
    variables = {"RUNNER_TEMP": str(program.parents[1] / "temp"), "GITHUB_ACTION_PATH": "/the/action"}
    return ran("install.sh", program.parents[1], TRAINC_PYTHON=str(program), TRAINC_VERSION=version, **variables)


@pytest.mark.parametrize(
    ("version", "requirement"), [("", "/the/action"), ("0.1.0", "trainc==0.1.0"), ("1.0rc1", "trainc==1.0rc1")]
)
def test_what_is_installed(program: Path, version: str, requirement: str) -> None:
    result = installed(program, version)
    make, install = result.calls
    home = program.parents[1] / "temp" / "trainc"
    assert make[1:] == ["-m", "venv", str(home)]
    assert install[1:] == ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
    assert (result.code, result.outputs) == (0, {"programs": str(home / "bin")})


@pytest.mark.parametrize("version", ["main", "0.1 @ file:///elsewhere", "1;touch pwned", "1\n--index-url x", "-r file"])
def test_only_a_version_is_installed(program: Path, version: str) -> None:
    result = installed(program, version)
    assert (result.code, result.calls) == (2, [])
    assert "`version`" in result.shown
