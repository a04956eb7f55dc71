"""What happens at a loss or a gradient norm that is no number: the run ends, or the step is left out."""

from __future__ import annotations

import torch.distributed as dist

from .data import Batch
from .errors import StageError
from .stage import Run

SAMPLES_NAMED = 8
# Weights that are broken give such a loss each time: skipping for ever would hide it.
SKIPPED_IN_A_ROW = 10


class Nonfinite:
    """Counts the steps left out in a row; every rank sees the same losses and norms, and so decides the same."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._in_a_row = 0

    def passed(self) -> None:
        """Notes a step that was taken."""
        self._in_a_row = 0

    def met(self, step: int, what: str, suspects: list[Batch]) -> None:
        """Ends the run, or notes a step that is left out; `suspects` are this rank's micro-batches that may be the cause."""
        samples = self._gathered(suspects)
        fault = f"{what} in step {step}, from the micro-batches of samples {_shown(samples)}"
        if self._run.plan.nonfinite == "stop":
            raise StageError(fault)
        self._in_a_row += 1
        if self._run.leads:
            self._run.folder.event("skipped", step=step, reason=what, samples=samples)
        if self._in_a_row == SKIPPED_IN_A_ROW:
            raise StageError(f"{fault}: the {SKIPPED_IN_A_ROW}th step in a row that was left out")

    def _gathered(self, suspects: list[Batch]) -> list[int]:
        found: list[list[int]] = [[] for _ in range(self._run.world_size)]
        dist.all_gather_object(found, [sample for batch in suspects for sample in batch.samples])
        return sorted({sample for part in found for sample in part})


def _shown(samples: list[int]) -> str:
    more = f" and {len(samples) - SAMPLES_NAMED} more" if len(samples) > SAMPLES_NAMED else ""
    return ", ".join(str(sample) for sample in samples[:SAMPLES_NAMED]) + more
