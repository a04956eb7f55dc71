"""Checkpoints for another number of ranks: DeepSpeed's universal format, which holds whole parameters and whole moments."""

from __future__ import annotations

import shutil
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

import torch.distributed as dist

from ..stage import Run


@contextmanager
def converted(files: Path, run: Run) -> Iterator[Path]:
    """A folder beside the run's checkpoints that holds DeepSpeed's files in the universal format, while the context lasts."""
    goal = run.folder.root / "universal" / files.name
    if run.leads:
        shutil.rmtree(goal.parent, ignore_errors=True)
        _convert(files, goal)
    dist.barrier()
    try:
        yield goal
    finally:
        dist.barrier()
        if run.leads:
            shutil.rmtree(goal.parent, ignore_errors=True)


def _convert(files: Path, goal: Path) -> None:
    from deepspeed.checkpoint import ds_to_universal

    # One worker stays in this process. What the format wants to know of a model's own parallel layers, these have none of.
    settings = Namespace(
        input_folder=str(files),
        output_folder=str(goal),
        num_extract_workers=1,
        num_merge_workers=1,
        keep_temp_folder=False,
        strict=True,
        inject_missing_state=True,
    )
    with redirect_stdout(StringIO()):
        ds_to_universal.main(settings)
