"""`trainc check --watch`, as a process that sees files change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from trainc.compiler.cli.checking import watch as module
from trainc.compiler.cli.checking.analysing import Spec
from trainc.compiler.cli.checking.policy_options import Choices
from trainc.compiler.cli.checking.rounds import Round

SOURCES = str(Path(".src").resolve())
SECONDS = 30


class Watcher:
    """A running `trainc check --watch`; what it prints is gathered as it comes."""

    def __init__(self, folder: Path, *arguments: str):
        program = "from trainc.compiler.cli import main; main()"
        command = [sys.executable, "-c", program, "check", "--watch", *arguments]
        environment = {**os.environ, "PYTHONPATH": SOURCES}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background jobs ignore Ctrl-C, and so would what they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.printed: list[str] = []
        self.said: list[str] = []
        self.readers = [
            threading.Thread(target=lambda: self.printed.extend(self.process.stdout or ()), daemon=True),
            threading.Thread(target=lambda: self.said.extend(self.process.stderr or ()), daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def wait_for(self, text: str, rounds: int) -> None:
        """Until a text was printed and that many rounds are over."""
        deadline = time.monotonic() + SECONDS
        while text not in "".join(self.printed) or self.rounds() < rounds:
            assert time.monotonic() < deadline, (text, self.printed, self.said)
            assert self.process.poll() is None, self.said
            time.sleep(0.05)

    def rounds(self) -> int:
        return sum(line.startswith("watching ") for line in self.said)

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(SECONDS)
        for reader in self.readers:
            reader.join(SECONDS)
        return code


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Any]:
    started: list[Watcher] = []

    def start(*arguments: str) -> Watcher:
        started.append(Watcher(tmp_path, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def test_every_change_is_checked_until_ctrl_c(watcher: Any, tmp_path: Path) -> None:
    (tmp_path / "parts.train").write_text("let n = 1\n")
    (tmp_path / "spec.train").write_text('import "./parts.train"\nlet x = parts.n\n')
    running = watcher("spec.train")
    running.wait_for("1 spec checked, no findings", 1)
    (tmp_path / "parts.train").write_text("let m = 1\n")
    running.wait_for("has no member `n`", 2)
    (tmp_path / "parts.train").unlink()
    running.wait_for("TRN152", 3)
    (tmp_path / "trainc.toml").write_text("colour = 1\n")
    running.wait_for("TRN912", 4)
    assert running.interrupt() == 0
    assert "Traceback" not in "".join(running.said)
    assert module.CLEAR not in "".join(running.printed)


def test_a_new_file_in_a_folder_is_checked(watcher: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let n = 1\n")
    running = watcher(".")
    running.wait_for("1 spec checked, no findings", 1)
    (tmp_path / "b.train").write_text("let n = nowhere\n")
    running.wait_for("no name `nowhere`", 2)
    (tmp_path / "a.train").unlink()
    (tmp_path / "b.train").unlink()
    deadline = time.monotonic() + SECONDS
    while not any("no *.train below" in line for line in running.said):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert running.interrupt() == 0


def test_nothing_is_checked_again_without_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.train").write_text("let n = 1\n")
    report = Round(0, (), files=frozenset({tmp_path / "a.train"}))
    checks, naps = [], []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(module.time, "sleep", nap)
    module.watch(lambda: checks.append(1) or report, lambda: [Spec(str(tmp_path / "a.train"))], Choices(), None)
    assert (len(checks), len(naps)) == (1, 5)


def test_a_file_that_is_written_during_the_first_check_is_read_again_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.train").write_text("let n = 1\n")
    part, checks = tmp_path / "part.train", []

    def check() -> Round:
        checks.append(1)
        if len(checks) == 1:
            part.write_text("let n = 2\n")
            later = time.time_ns() + 10**9
            os.utime(part, ns=(later, later))
        return Round(0, (), files=frozenset({tmp_path / "a.train", part}))

    def nap(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module.time, "sleep", nap)
    module.watch(check, lambda: [Spec(str(tmp_path / "a.train"))], Choices(), None)
    assert len(checks) == 2


@pytest.mark.parametrize(
    "arguments", [["-"], [".", "--write-baseline", "known.json"], [".", "--select", "E501"], ["."], [".", "--set", "x"]]
)
def test_what_no_change_could_mend_is_wrong_usage(arguments: list[str], check: Any, tmp_path: Path) -> None:
    if arguments != ["."]:
        (tmp_path / "a.train").write_text("let n = 1\n")
    assert check("--watch", *arguments).exit_code == 2
