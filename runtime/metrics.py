"""The rows that show how training goes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter

from .errors import StageError
from .stage import Run


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step did: mean loss a target, gradient norm before clipping, learning rate.

    A step whose norm is not finite was skipped. `loss_scale` is the factor that the step began with, where there is one.
    """

    loss: float
    grad_norm: float
    lr: float
    loss_scale: float | None

    @property
    def skipped(self) -> bool:
        """Whether the weights stayed as they were."""
        return not math.isfinite(self.grad_norm)


class Meter:
    """Times steps and writes rows to `metrics.jsonl` and TensorBoard; time spent `aside` is not a step's."""

    def __init__(self, run: Run, first_step: int) -> None:
        self._run = run
        self._board = None
        if run.leads and run.plan.logging.tensorboard:
            self._board = SummaryWriter(str(run.folder.tensorboard), purge_step=first_step + 1)
        self._restart()

    def _restart(self) -> None:
        self._began = time.perf_counter()
        self._aside = 0.0
        self._tokens = 0
        self._steps = 0
        self._skipped = 0

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Work that is not training."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._aside += time.perf_counter() - began

    def count(self, targets: int, skipped: bool) -> None:
        """Notes a finished step, its targets over all ranks, and whether it left the weights as they were."""
        self._tokens += targets
        self._steps += 1
        self._skipped += skipped

    def row(self, step: int, total_tokens: int, result: StepResult) -> None:
        """Writes the row of a step, with means over the steps since the row before; every rank calls it."""
        seconds = time.perf_counter() - self._began - self._aside
        peak = torch.tensor(self._run.memory.peak_bytes())
        dist.all_reduce(peak, dist.ReduceOp.MAX)
        values: dict[str, float | None] = {
            "loss": result.loss,
            "lr": result.lr,
            # JSON has no infinity.
            "grad_norm": None if result.skipped else result.grad_norm,
            "tokens_per_second": self._tokens / seconds,
            "peak_memory_bytes": int(peak.item()),
            "step_time_seconds": seconds / self._steps,
        }
        if result.loss_scale is not None:
            values |= {"loss_scale": result.loss_scale, "skipped_steps": self._skipped}
        if self._run.leads:
            self._run.folder.metric({"step": step, "tokens": total_tokens, **values})
        self._draw(step, values)
        self._restart()

    def evaluated(self, step: int, loss: float) -> None:
        """Writes a held-out loss."""
        if self._run.leads:
            self._run.folder.event("evaluation", step=step, loss=loss)
        self._draw(step, {"heldout_loss": loss})

    def close(self) -> None:
        """Writes what is still in memory."""
        if self._board:
            with self._drawing():
                self._board.close()

    def _draw(self, step: int, values: Mapping[str, float | None]) -> None:
        if self._board:
            with self._drawing():
                for name, value in values.items():
                    if value is not None:
                        self._board.add_scalar(name, value, step)

    @contextmanager
    def _drawing(self) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            # What could not be written would be tried again at the close.
            self._board = None
            raise StageError(f"cannot write {self._run.folder.tensorboard}: {fault.strerror}") from fault
