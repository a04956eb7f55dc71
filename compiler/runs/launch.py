"""Runs one stage on this machine: starts its launch script, follows it to its end, and leaves no process behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from . import faults
from .bundle_folder import BundleFolder, BundleStage
from .display import Display
from .processes import Launched, start
from .progress import Progress, after_event, after_metrics
from .record import incident
from .rows import RowTail, text
from .verdict import Failure, find_failure, first_to_fail

LOOK_SECONDS = 0.2
# What a rank ends with that was asked to stop, and that can be resumed.
INTERRUPTED = 75
# Events that a user who watches wants to know of; the others show in the progress.
SAID_AT_ONCE = ("skipped", "profiled")
RUNTIME_PACKAGES = ("torch", "transformers", "tokenizers", "safetensors")


@dataclass(frozen=True, slots=True)
class StageLaunch:
    """What a stage is launched with; `folder` is the stage's part of the run folder."""

    bundle: BundleFolder
    stage: BundleStage
    folder: Path
    data_root: Path
    cache: Path
    python: str
    resume: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """The stage did all its steps; `stop_requested` tells that the user wants no further stage."""

    stop_requested: bool


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The stage was asked to stop; `step` is the last one seen, `resumable` whether there is a checkpoint."""

    step: int | None
    resumable: bool


StageEnd = Finished | Interrupted | Failure


def cannot_launch(python: str) -> Diagnostic | None:
    """What this machine lacks for launching with an interpreter, found before anything is started."""
    if shutil.which("bash") is None:
        return faults.no_bash()
    question = f"import importlib.util as u; print(*(n for n in {RUNTIME_PACKAGES!r} if u.find_spec(n) is None))"
    answer = subprocess.run([python, "-c", question], capture_output=True, text=True, check=True)
    missing = answer.stdout.split()
    return faults.interpreter_lacks(python, missing) if missing else None


def run_stage(launch: StageLaunch, display: Display) -> StageEnd | Diagnostic:
    """Launches a stage and follows it; the first Ctrl-C asks it to save and stop, the second ends it at once."""
    log = launch.folder / "log" / "launcher.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        # A failure of an earlier launch would be taken for this one's.
        (launch.folder / "failure.json").unlink(missing_ok=True)
        log.touch()
    except OSError as fault:
        return faults.runs_folder_not_writable(launch.folder, fault.strerror or str(fault))
    log_start = log.stat().st_size
    follower = _Follower(launch, display)
    with _stop_requests() as requests:
        command = ["bash", str(launch.bundle.launch_script.resolve()), launch.stage.folder]
        launched = start(command, _environment(launch), launch.bundle.path, log)
        try:
            _follow(launched, follower, requests)
        finally:
            launched.kill()
    follower.look()
    output = log.read_bytes()[log_start:]
    return _end(launch, follower, launched.launcher.returncode, bool(requests), output)


class _Follower:
    """Carries the progress of a stage from its files to the display."""

    def __init__(self, launch: StageLaunch, display: Display) -> None:
        self._display = display
        self._metrics = RowTail(launch.folder / "metrics.jsonl")
        self._events = RowTail(launch.folder / "events.jsonl")
        self.progress = Progress(launch.stage.name)
        self.events: list[str] = []
        self.say = display.say

    def look(self) -> None:
        """Takes in what is new, and shows it."""
        for row in self._events.new_rows():
            self.progress = after_event(self.progress, row, time.monotonic())
            self.events.append(text(row, "event") or "")
            if text(row, "event") in SAID_AT_ONCE:
                told = incident(row)
                self.say(f"{self.progress.stage}: {told.name}, {told.details}")
        for row in self._metrics.new_rows():
            self.progress = after_metrics(self.progress, row, time.monotonic())
        self._display.show(self.progress)


def _follow(launched: Launched, follower: _Follower, requests: list[int]) -> None:
    answered = 0
    while not launched.wait(LOOK_SECONDS):
        follower.look()
        if len(requests) >= 2:
            follower.say("ending it now, without another checkpoint")
            return
        if len(requests) > answered:
            answered = len(requests)
            follower.say("stopping after this step, with a checkpoint; once more to end it at once")
            launched.ask_to_stop()


@contextmanager
def _stop_requests() -> Iterator[list[int]]:
    """Collects the signals that ask trainc to stop, instead of dying by them."""
    requests: list[int] = []
    caught = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda seen, _frame: requests.append(seen)) for number in caught}
    try:
        yield requests
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _environment(launch: StageLaunch) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHON": launch.python,
        "TRAINC_RUN_DIR": str(launch.folder.resolve()),
        "TRAINC_DATA_ROOT": str(launch.data_root.resolve()),
        "TRAINC_CACHE_DIR": str(launch.cache.resolve()),
        "TRAINC_RESUME": "auto" if launch.resume else "never",
    }


def _end(launch: StageLaunch, follower: _Follower, exit_code: int, asked: bool, output: bytes) -> StageEnd:
    # torchrun ends with 1 whatever its ranks end with, so it is the events that tell how the stage went.
    # A rank that aborts while it leaves, after everything was written, takes nothing away from a finished stage.
    if "finished" in follower.events:
        if exit_code != 0:
            follower.say(f"the launcher ended with exit code {exit_code} after the stage was finished; see its log")
        return Finished(stop_requested=asked)
    culprit = first_to_fail(output)
    # torchrun stops the ranks that are left when a signal has ended one: that is no wish of the user.
    killed = culprit is not None and culprit.exit_code < 0 and culprit.exit_code != -signal.SIGTERM
    interrupted = "interrupted" in follower.events or (culprit is not None and culprit.exit_code == INTERRUPTED)
    if asked or (interrupted and not killed):
        checkpoints = launch.folder / "checkpoints"
        resumable = checkpoints.is_dir() and any(checkpoints.iterdir())
        return Interrupted(follower.progress.step, resumable)
    return find_failure(launch.folder, output, exit_code)
