"""How a rank ends: what it says, and whom it waits for."""

from __future__ import annotations

import logging
import os
import sys
from typing import NoReturn

import torch.distributed as dist

from .errors import StageError
from .place import Place
from .run_folder import RunFolder
from .watch import Watch, concerns_another_rank

# Errors whose text is a sentence for the user.
SENTENCES = ("StageError", "PlanFileError")


def describe(crash: Exception) -> tuple[str, str]:
    """A crash as its kind and its first line."""
    # Only the ranks that outlive another see this: the cause is the other rank's end.
    if concerns_another_rank(crash):
        return "PeerLost", "another rank ended while this one waited for it"
    text = str(crash).strip() or type(crash).__name__
    return type(crash).__name__, text.splitlines()[0]


def report(folder: RunFolder, here: Place, kind: str, message: str, hint: str) -> None:
    """Keeps a failure in the run folder, and says it on stderr unless another rank has said one."""
    try:
        first = folder.fail(here.rank, kind, message)
    except (OSError, StageError):
        # The run folder itself is what failed: one rank of the node can still speak.
        first = here.local_rank == 0
    if first:
        label = message if kind in SENTENCES else f"rank {here.rank} failed: {kind}: {message}"
        print(f"error: {label}{hint}", file=sys.stderr)


def way_back(folder: RunFolder) -> str:
    """Which checkpoint a run that was under way can be resumed from."""
    # Checkpoints are written by what runs in a stage: imported at the top, it would come before the stage itself.
    from .checkpoint import folders

    newest = folders.find(folder.checkpoints).newest
    return f"; to resume: {newest}" if newest else "; no checkpoint was written yet"


def leave_together(watch: Watch) -> NoReturn:
    """Ends a rank that has done everything, once all have."""
    _flush()
    dist.barrier()
    watch.leave()
    dist.destroy_process_group()
    sys.exit(0)


def leave_at_once(code: int) -> NoReturn:
    """Ends a rank whatever the others do."""
    # Waiting for the others could hang: they may be inside a collective that this rank never joins.
    _flush()
    os._exit(code)


def _flush() -> None:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
