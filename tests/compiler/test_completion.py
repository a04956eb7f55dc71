"""What a shell is offered, by the protocol that its script speaks, and in a real bash."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from trainc.compiler.cli.completing import FILES, OFFERS
from trainc.compiler.cli.group import COMMANDS, trainc

ROOT = Path(__file__).parents[2]
SPEC = "param length: extent = 5 steps\nparam width: count = 2\nstage first { }\nstage second = first { }\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program `trainc` on the path, and specs; tests stand in it."""
    program = tmp_path / "bin" / "trainc"
    program.parent.mkdir()
    path = f"import sys; sys.path.insert(0, {str(ROOT / '.src')!r})"
    program.write_text(f"#!{sys.executable}\n{path}\nfrom trainc.compiler.cli import main\nmain()\n")
    program.chmod(0o755)
    work = tmp_path / "work"
    (work / "specs" / "deep").mkdir(parents=True)
    (work / "specs" / "deep" / "one.train").write_text(SPEC)
    (work / "specs" / "deep" / "two.train").write_text(SPEC)
    (work / "alone.train").write_text(SPEC)
    (work / "with space.train").write_text(SPEC)
    (work / "notes.txt").write_text("no spec")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.chdir(work)
    return work


def offered(*words: str, shell: str = "bash") -> list[str]:
    """What is offered for the last word."""
    at = words[-1] if shell == "fish" else str(len(words) - 1)
    request = {"COMP_WORDS": " ".join(words), "COMP_CWORD": at, "_TRAINC_COMPLETE": f"{shell}_complete"}
    done = subprocess.run(["trainc"], env={**os.environ, **request}, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    if shell == "zsh":
        return lines[1::3]
    return [line.partition(",")[2].partition("\t")[0] for line in lines if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_are_offered(shell: str, place: Path) -> None:
    assert offered("trainc", "", shell=shell) == list(COMMANDS)
    assert offered("trainc", "pl", shell=shell) == ["plan"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_options_and_their_choices_are_offered(shell: str, place: Path) -> None:
    assert offered("trainc", "graph", "--for", shell=shell) == ["--format"]
    assert offered("trainc", "graph", "alone.train", "--format", "s", shell=shell) == ["svg"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_specs_and_folders_are_offered_and_no_other_files(shell: str, place: Path) -> None:
    assert offered("trainc", "plan", "", shell=shell) == ["alone.train", "specs/", "with space.train"]


def test_a_folder_that_stands_alone_is_opened(place: Path) -> None:
    assert offered("trainc", "plan", "sp") == ["specs/deep/one.train", "specs/deep/two.train"]


@pytest.mark.parametrize("command", ["check", "plan", "show", "graph", "compile", "run", "diff", "explain"])
def test_every_command_that_takes_a_spec_offers_some(command: str, place: Path) -> None:
    assert offered("trainc", command, "alo") == ["alone.train"]


def test_both_sides_of_a_comparison_are_specs(place: Path) -> None:
    assert offered("trainc", "diff", "alone.train", "alo") == ["alone.train"]


def test_params_and_stages_of_the_spec_on_the_line_are_offered(place: Path) -> None:
    assert offered("trainc", "plan", "alone.train", "--set", "") == ["length=", "width="]
    assert offered("trainc", "plan", "alone.train", "--stage", "s") == ["second"]
    assert offered("trainc", "plan", "absent.train", "--set", "") == []


def test_codes_and_names_of_the_language_are_offered(place: Path) -> None:
    assert offered("trainc", "explain", "TRN20") == [f"TRN20{number}" for number in range(1, 10)]
    assert offered("trainc", "explain", "trn201") == ["trn201"]
    assert offered("trainc", "docs", "fsd") == ["fsdp2"]
    assert offered("trainc", "check", "--ignore", "TRN303,TRN70") == ["TRN303,TRN701", "TRN303,TRN702"]
    assert "HEAD" in offered("trainc", "check", "--changed-since", "")


def test_every_value_of_every_command_is_completed_somehow() -> None:
    context = click.Context(trainc)
    parameters = [parameter for name in COMMANDS for parameter in trainc.get_command(context, name).params]
    left = {
        str(parameter.name)
        for parameter in parameters
        if not (isinstance(parameter, click.Option) and parameter.is_flag)
        and not isinstance(parameter.type, click.Choice | click.Path | click.IntRange)
        and parameter.name not in (*OFFERS, *FILES)
    }
    assert left == set()


def test_the_version_is_still_told_while_a_shell_has_asked(place: Path) -> None:
    assert subprocess.run(["trainc", "--version"], capture_output=True, text=True, check=True).stdout.startswith("trainc ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_what_the_protocol_gives(shell: str, place: Path) -> None:
    printed = subprocess.run(["trainc", "completion", shell], capture_output=True, text=True, check=True).stdout
    asked = {**os.environ, "_TRAINC_COMPLETE": f"{shell}_source"}
    assert printed == subprocess.run(["trainc"], env=asked, capture_output=True, text=True, check=True).stdout
    assert f"_TRAINC_COMPLETE={shell}_complete" in printed


def test_an_unknown_shell_is_wrong_usage(place: Path) -> None:
    done = subprocess.run(["trainc", "completion", "tcsh"], capture_output=True, text=True, check=False)
    assert (done.returncode, "'bash', 'zsh', 'fish'" in done.stderr) == (2, True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_takes_the_script(place: Path) -> None:
    script = "source <(trainc completion bash); complete -p trainc"
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "complete -o nosort -F _trainc_completion trainc\n"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_their_scripts(shell: str, place: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = subprocess.run(["trainc", "completion", shell], capture_output=True, text=True, check=True).stdout
    (place / "script").write_text(script)
    subprocess.run([shell, "-n", "script"], check=True)


def typed(keys: bytes, awaited: bytes) -> bytes:
    """What an interactive bash shows after these keys, until it shows what is awaited."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], {**os.environ, "PS1": "READY> ", "TERM": "dumb"})
    try:
        _until(terminal, b"READY> ")
        os.write(terminal, b"source <(trainc completion bash)\n")
        _until(terminal, b"READY> ")
        os.write(terminal, keys)
        return _until(terminal, awaited)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def _until(terminal: int, awaited: bytes) -> bytes:
    shown, deadline = b"", time.monotonic() + 30
    while awaited not in shown:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            # Without the bell of an ambiguous tab.
            shown += os.read(terminal, 4096).replace(b"\a", b"")
        assert time.monotonic() < deadline, shown
    return shown


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (b"trainc verif\t", b"trainc verify "),
        (b"trainc plan al\t", b"trainc plan alone.train "),
        (b"trainc plan w\t", b"trainc plan with\\ space.train "),
        (b"trainc plan s\to\t", b"trainc plan specs/deep/one.train "),
        (b"trainc plan alone.train --set len\t9steps", b"trainc plan alone.train --set length=9steps"),
    ],
)
def test_an_interactive_bash_completes(keys: bytes, line: bytes, place: Path) -> None:
    assert line in typed(keys, line)
