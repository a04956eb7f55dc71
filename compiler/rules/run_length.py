"""The length of a stage in optimizer steps, as far as its spec tells."""

from __future__ import annotations

from ..planner.batch import plan_batch
from ..planner.length import decay_of, steps_of
from ..spec import StageSpec


def total_steps(stage: StageSpec) -> int | None:
    """Optimizer steps of the whole stage; None where only the data tells, or where another rule objects to batch or duration."""
    rates = _a_step(stage)
    return steps_of(stage.duration, *rates) if rates else None


def warmup_and_decay(stage: StageSpec, total: int) -> tuple[int, int]:
    """Steps of the warmup and of the final decay."""
    rates = _a_step(stage) or (1, 1)
    return steps_of(stage.schedule.warmup, *rates, total) or 0, decay_of(stage.schedule, *rates, total)


def _a_step(stage: StageSpec) -> tuple[int, int] | None:
    """Samples and tokens of an optimizer step."""
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    return (batch.global_size, batch.global_size * stage.data.sequence) if batch else None
