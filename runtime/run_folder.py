"""The files that a stage leaves in its run folder."""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import shutil
import time
from pathlib import Path

from .errors import StageError

LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class RunFolder:
    """One stage's folder: events, metrics, logs, and the places of its checkpoints and its export."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.checkpoints = root / "checkpoints"
        self.export = root / "export"
        self.tensorboard = root / "tensorboard"
        self.profile = root / "profile"
        self.flight = root / "flight"
        self.metrics = root / "metrics.jsonl"
        self.failure = root / "failure.json"

    def open(self, rank: int) -> None:
        """Makes the folder and sends this rank's log, warnings and fatal signals to `log/rank-N.log`."""
        path = self.root / "log" / f"rank-{rank}.log"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = path.open("a", encoding="utf-8", buffering=1)
        except OSError as fault:
            raise StageError(f"cannot write into the run folder {self.root}: {fault.strerror}") from fault
        handler = logging.StreamHandler(stream)
        handler.setFormatter(logging.Formatter(LOG_FORMAT))
        logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
        logging.captureWarnings(capture=True)
        # A log that the disk has no room for is no reason to end, nor for a traceback at each line.
        logging.raiseExceptions = False
        faulthandler.enable(file=stream)

    def forget_failure(self) -> None:
        """Clears what an earlier attempt said about its end."""
        self.failure.unlink(missing_ok=True)

    def keep_plan(self, path: Path) -> None:
        """Copies the plan beside the results it led to."""
        shutil.copyfile(path, self.root / "plan.json")

    def event(self, name: str, **values: object) -> None:
        """Appends a row to `events.jsonl`."""
        _append(self.root / "events.jsonl", {"time": time.time(), "event": name, **values})

    def metric(self, row: dict[str, object]) -> None:
        """Appends a row to `metrics.jsonl`."""
        _append(self.metrics, row)

    def forget_metrics_after(self, step: int) -> None:
        """Drops the rows of steps that a resumed run takes again."""
        if not self.metrics.exists():
            return
        # A killed run may have left half a line behind.
        lines = [line for line in self.metrics.read_text(encoding="utf-8").splitlines(keepends=True) if line[-1:] == "\n"]
        kept = [line for line in lines if json.loads(line)["step"] <= step]
        temporary = self.metrics.with_suffix(".partial")
        temporary.write_text("".join(kept), encoding="utf-8")
        temporary.replace(self.metrics)

    def fail(self, rank: int, kind: str, message: str) -> bool:
        """Records a failure; true for the first rank to record one."""
        text = json.dumps({"rank": rank, "type": kind, "message": message}, indent=2, sort_keys=True) + "\n"
        try:
            descriptor = os.open(self.failure, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            return False
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        self.event("failed", rank=rank, type=kind, message=message)
        return True


def _append(path: Path, row: dict[str, object]) -> None:
    # One write of one line: rows of two ranks never mix.
    try:
        with path.open("ab", buffering=0) as stream:
            stream.write((json.dumps(row) + "\n").encode())
    except OSError as fault:
        raise StageError(f"cannot write {path}: {fault.strerror}") from fault
