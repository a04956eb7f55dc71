"""The length of a stage in optimizer steps, as far as its spec tells."""

from __future__ import annotations

from ..planner.batch import plan_batch
from ..planner.length import steps_of
from ..schema import Extent
from ..spec import StageSpec, Wsd
from ..units import Dimension


def total_steps(stage: StageSpec) -> int | None:
    """Optimizer steps of the whole stage; None where only the data tells, or where another rule objects to batch or duration."""
    return _steps(stage, stage.duration, None)


def warmup_and_decay(stage: StageSpec, total: int) -> tuple[int, int]:
    """Steps of the warmup and of the final decay."""
    decay = _steps(stage, stage.schedule.decay, total) if isinstance(stage.schedule, Wsd) else 0
    return _steps(stage, stage.schedule.warmup, total) or 0, decay or 0


def _steps(stage: StageSpec, extent: Extent, total: int | None) -> int | None:
    # What is said in steps or shares holds whatever is wrong with batch, mesh or data.
    if extent.unit in (Dimension.STEPS, Dimension.PERCENT):
        return steps_of(extent, 1, 1, total)
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    return steps_of(extent, batch.global_size, batch.global_size * stage.data.sequence, total) if batch else None
