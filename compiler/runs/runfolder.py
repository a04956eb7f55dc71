"""Names, makes and finds run folders: `RUNS/PIPELINE/DATE-HASH/STAGE/`.

A run belongs to one bundle. A lock keeps two launches from working on one run.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from . import faults
from .bundle_folder import BundleFolder
from .rows import read_rows, text

ENDINGS = ("finished", "interrupted", "failed")


def new_run(runs: Path, bundle: BundleFolder, now: datetime) -> Path | Diagnostic:
    """A fresh run folder of a bundle, with run.json that says which bundle and which stages."""
    name = f"{now:%Y%m%d-%H%M%S}-{bundle.hash[:8]}"
    record = {
        "bundle": os.path.relpath(bundle.path, runs),
        "hash": bundle.hash,
        "pipeline": bundle.pipeline,
        "stages": [stage.name for stage in bundle.stages],
    }
    try:
        folder = _make_unused(runs / bundle.pipeline / name)
        (folder / "run.json").write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    except OSError as fault:
        return faults.runs_folder_not_writable(runs, fault.strerror or str(fault))
    return folder


def newest_run(runs: Path, bundle: BundleFolder) -> Path | Diagnostic:
    """The latest run of exactly this bundle."""
    candidates = sorted((runs / bundle.pipeline).glob(f"*-{bundle.hash[:8]}*"), reverse=True)
    for folder in candidates:
        record = folder / "run.json"
        if record.is_file() and json.loads(record.read_text(encoding="utf-8"))["hash"] == bundle.hash:
            return folder
    return faults.nothing_to_resume(runs, bundle.pipeline, bundle.hash)


def is_finished(stage: Path) -> bool:
    """Whether the last launch of a stage finished it."""
    names = [text(row, "event") for row in read_rows(stage / "events.jsonl")]
    endings = [name for name in names if name in (*ENDINGS, "started", "resumed")]
    return bool(endings) and endings[-1] == "finished"


@contextmanager
def working_on(run: Path) -> Iterator[bool]:
    """Holds the run's lock for a while; gives False if another process holds it.

    The kernel frees the lock with the process, so a crash leaves nothing to clean up.
    """
    with (run / ".lock").open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _make_unused(folder: Path) -> Path:
    # Two runs of one bundle within a second: the later one gets a number.
    for attempt in range(1, 100):
        candidate = folder if attempt == 1 else folder.with_name(f"{folder.name}-{attempt}")
        try:
            candidate.mkdir(parents=True)
        except FileExistsError:
            continue
        return candidate
    raise FileExistsError(f"{folder} and its successors exist")
