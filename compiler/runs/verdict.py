"""Finds out which rank ended a stage, and why.

torchrun's root cause is the first failure that it observed; the ranks that fail afterwards only lost their peer. A rank
that dies by a signal leaves no word of its own, so a signal weighs more than failure.json of another rank.
"""

from __future__ import annotations

import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path

from .rows import Row, number, text

TAIL_LINES = 12
_FAILURE = re.compile(
    rb"^ {2}rank +: (?P<rank>\d+) \(local_rank: \d+\)\n {2}exitcode +: (?P<exit>-?\d+) \(pid: \d+\)", re.MULTILINE
)
_ROOT_CAUSE = b"Root Cause (first observed failure):"
# From here on the launcher's log is torchrun's own, no longer the ranks'.
_TORCHRUN_SPEAKS = re.compile(rb"^[WE]\d{4} .*torch/distributed/elastic/", re.MULTILINE)
# The runtime's own errors, whose texts are sentences for the user.
_SENTENCES = ("StageError", "PlanFileError")
# What torchrun sends to the ranks that it ends because another one failed.
_ENDED_BY_TORCHRUN = -signal.SIGTERM


@dataclass(frozen=True, slots=True)
class RankExit:
    """A rank and its exit code; negative: the signal that ended it."""

    rank: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a stage ended early, and where to read on."""

    rank: int | None
    reason: str
    log: Path
    last_lines: tuple[str, ...]


def find_failure(stage: Path, launcher_output: bytes, exit_code: int) -> Failure:
    """The cause of a stage's end, from failure.json and from what the launcher wrote."""
    said = _read_failure(stage / "failure.json")
    culprit = first_to_fail(launcher_output)
    if culprit is not None and culprit.exit_code < 0 and culprit.exit_code != _ENDED_BY_TORCHRUN:
        reason = f"rank {culprit.rank} was ended by {_signal_name(culprit)}"
        # The others know in which step they lost it.
        if said is not None and text(said, "type") in _SENTENCES:
            reason = f"{reason}: {_message(said)}"
        return _told(stage, launcher_output, culprit.rank, reason)
    if said is not None:
        rank = number(said, "rank")
        message = _message(said)
        if rank is None:
            return _told(stage, launcher_output, None, message)
        return _told(stage, launcher_output, int(rank), f"rank {int(rank)}: {message}")
    if culprit is not None:
        reason = f"rank {culprit.rank} ended with exit code {culprit.exit_code}"
        return _told(stage, launcher_output, culprit.rank, reason)
    return _told(stage, launcher_output, None, _launchers_end(exit_code))


def first_to_fail(launcher_output: bytes) -> RankExit | None:
    """The rank that torchrun names as the root cause, or one that a signal ended where torchrun saw both at once."""
    exits = [RankExit(int(match["rank"]), int(match["exit"])) for match in _FAILURE.finditer(launcher_output)]
    root = _FAILURE.search(launcher_output, max(launcher_output.rfind(_ROOT_CAUSE), 0))
    if root is None:
        return None
    by_signal = [one for one in exits if one.exit_code < 0 and one.exit_code != _ENDED_BY_TORCHRUN]
    observed_first = RankExit(int(root["rank"]), int(root["exit"]))
    return observed_first if observed_first in by_signal or not by_signal else by_signal[0]


def _told(stage: Path, launcher_output: bytes, rank: int | None, reason: str) -> Failure:
    """The failure with the end of the log that tells most: the rank's own, else the launcher's before torchrun's."""
    log = stage / "log" / f"rank-{rank}.log"
    content = log.read_bytes() if rank is not None and log.is_file() else b""
    if not content.strip():
        log = stage / "log" / "launcher.log"
        torchrun = _TORCHRUN_SPEAKS.search(launcher_output)
        content = launcher_output[: torchrun.start()] if torchrun else launcher_output
    lines = content.decode(errors="replace").rstrip().splitlines()
    return Failure(rank, reason, log, tuple(lines[-TAIL_LINES:]))


def _read_failure(path: Path) -> Row | None:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _message(said: Row) -> str:
    kind, message = text(said, "type"), text(said, "message") or "no message"
    return message if kind in _SENTENCES else f"{kind}: {message}"


def _signal_name(one: RankExit) -> str:
    try:
        name = signal.Signals(-one.exit_code).name
    except ValueError:
        return f"signal {-one.exit_code}"
    return f"{name} (the kernel does this when memory runs out)" if name == "SIGKILL" else name


def _launchers_end(exit_code: int) -> str:
    if exit_code == 0:
        return "it ended without finishing its steps"
    if exit_code < 0:
        return f"the launcher was ended by signal {-exit_code}"
    return f"the launcher ended with exit code {exit_code}"
