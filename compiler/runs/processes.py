"""Starts a launch script and answers for every process that comes of it.

torchrun gives each rank a session of its own, so a process group does not hold them together. A mark in the environment
does: every descendant inherits it, also one whose parent is gone. Finding the mark needs /proc; elsewhere than on Linux
only the launcher's own group is ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MARK = "TRAINC_LAUNCH_ID"
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Launched:
    """A started launch script and all its descendants."""

    launcher: subprocess.Popen[bytes]
    mark: str

    def wait(self, seconds: float) -> bool:
        """Waits a little; tells whether the launcher has ended."""
        try:
            self.launcher.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def ask_to_stop(self) -> None:
        """Asks the ranks to save and leave.

        The launcher's children are asked, not the launcher: torchrun would pass the signal on to data workers too, and
        end ranks that take longer than 30 seconds to save.
        """
        for pid in _children(self.launcher.pid) or [self.launcher.pid]:
            _send(pid, signal.SIGTERM)

    def kill(self) -> None:
        """Ends the launcher and everything that it left, at once."""
        if self.launcher.poll() is None:
            os.killpg(self.launcher.pid, signal.SIGKILL)
            self.launcher.wait()
        # A process may fork between the look and the blow, hence several rounds; a zombie has no environment any more.
        for _ in range(50):
            remaining = marked_processes(self.mark)
            if not remaining:
                return
            for pid in remaining:
                _send(pid, signal.SIGKILL)
            time.sleep(0.02)


def start(command: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path) -> Launched:
    """Starts a command in a session of its own, both its outputs appended to a log."""
    mark = uuid.uuid4().hex
    with log.open("ab") as output:
        launcher = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with_parent(os.getpid()),
        )
    return Launched(launcher, mark)


def marked_processes(mark: str) -> list[int]:
    """The living processes that carry a launch's mark."""
    wanted = f"{MARK}={mark}".encode()
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if wanted in _environment(entry)]


def _environment(entry: Path) -> list[bytes]:
    try:
        return (entry / "environ").read_bytes().split(b"\0")
    except OSError:  # It ended meanwhile, or belongs to another user.
        return []


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _end_with_parent(parent: int) -> Callable[[], None] | None:
    """Has the kernel end the launcher when trainc is killed, so that not even then ranks stay behind."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)

    def arrange() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return arrange
