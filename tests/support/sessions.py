"""Runs the sessions of the manual's pages: lines that begin with `$ `, typed in a folder of the test's own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner
from trainc.compiler.cli.group import trainc

CODE = re.compile(r"\b(?:error|warning|info)\[(TRN\d{3})\]")
ASSIGNED = re.compile(r"(\w+)=(\S*) (.*)")


@dataclass(frozen=True)
class Answer:
    """What one command of a session ended with: its exit code, and the codes of the findings that it printed."""

    command: str
    exit_code: int
    codes: frozenset[str]
    output: str


def is_session(example: str) -> bool:
    """Whether an example is typed, and no part of a spec."""
    return example.startswith("$ ")


def play(session: str) -> Iterator[Answer]:
    """Types each command; `cat FILE` with lines after it shows a file that is there, so those lines are written to it.

    `trainc` and `cd` act in this process; the shell does the rest.
    """
    for typed in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, shown = typed.partition("\n")
        if command.startswith("cat "):
            Path(command.removeprefix("cat ")).write_text(shown.rstrip("\n") + "\n")
        else:
            yield _run(command)


def _run(command: str) -> Answer:
    if command.startswith("cd "):
        os.chdir(command.removeprefix("cd "))
        return Answer(command, 0, frozenset(), "")
    assigned = ASSIGNED.fullmatch(command)
    name, value, line = assigned.groups() if assigned else ("", "", command)
    if line.startswith("trainc "):
        result = CliRunner(env={name: value} if name else None).invoke(trainc, _words(line)[1:])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return Answer(command, result.exit_code, frozenset(CODE.findall(result.output)), result.output)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    return Answer(command, done.returncode, frozenset(CODE.findall(output)), output)


def _words(line: str) -> list[str]:
    """The words of a command; one with a `*` is the path that it matches."""
    return [str(*Path().glob(word)) if "*" in word else word for word in shlex.split(line)]
