"""Checkpoint folders on disk: `step-00000010`, complete when `complete.json` in it names every file with its size.

A checkpoint is written under another name and renamed as its last act, so that a crash at any moment leaves the older ones as
they were.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

MARKER = "complete.json"


@dataclass(frozen=True, slots=True)
class Found:
    """The newest complete checkpoint, if any, and the newer folders that are not complete."""

    newest: Path | None
    skipped: tuple[str, ...]


def folder_of(root: Path, step: int) -> Path:
    """Where the checkpoint of a step stands."""
    return root / f"step-{step:08d}"


def partial_of(root: Path, step: int) -> Path:
    """Where it is written first."""
    return root / f"step-{step:08d}.partial"


def find(root: Path) -> Found:
    """Looks from the newest checkpoint back to the first complete one."""
    skipped = []
    for folder in sorted(root.glob("step-*"), reverse=True):
        if is_complete(folder):
            return Found(folder, tuple(skipped))
        skipped.append(folder.name)
    return Found(None, tuple(skipped))


def is_complete(folder: Path) -> bool:
    """Whether the folder has its final name, its marker, and every file at the size that the marker gives."""
    if folder.suffix:
        return False
    try:
        sizes: dict[str, int] = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return sizes == _sizes(folder)


def complete(partial: Path, folder: Path) -> None:
    """Marks a written checkpoint and gives it its name."""
    marker = partial / MARKER
    marker.write_text(json.dumps(_sizes(partial), sort_keys=True), encoding="utf-8")
    for path in [*partial.rglob("*"), partial]:
        _flush_to_disk(path)
    # An incomplete folder may hold the name.
    if folder.exists():
        shutil.rmtree(folder)
    partial.rename(folder)
    _flush_to_disk(folder.parent)


def prune(root: Path, keep: int, best: Path | None = None) -> None:
    """Removes all but the newest complete checkpoints and the best one, and what was never finished."""
    complete_ones = [folder for folder in sorted(root.glob("step-*"), reverse=True) if is_complete(folder)]
    for folder in root.glob("step-*"):
        if folder not in (*complete_ones[:keep], best):
            shutil.rmtree(folder)


def _sizes(folder: Path) -> dict[str, int]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != MARKER)
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in sorted(files)}


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
