"""The length of a stage in optimizer steps, as far as its spec tells."""

from __future__ import annotations

from ..planner.batch import plan_batch
from ..planner.length import decay_of, steps_of
from ..schema import Extent
from ..spec import StageSpec
from ..units import Dimension


def total_steps(stage: StageSpec) -> int | None:
    """Optimizer steps of the whole stage; None where only the data tells, or where another rule objects to batch or duration."""
    return _steps(stage, stage.duration, None)


def warmup_and_decay(stage: StageSpec, total: int) -> tuple[int, int]:
    """Steps of the warmup and of the final decay; 0 for those that only the data tells."""
    return _steps(stage, stage.schedule.warmup, total) or 0, _steps(stage, decay_of(stage.schedule), total) or 0


def epochs(stage: StageSpec) -> tuple[float, float, float] | None:
    """The run, its warmup and its decay in epochs, 0 for lengths in another unit; None for a run that is measured otherwise."""
    if stage.duration.unit is not Dimension.EPOCHS:
        return None
    total = stage.duration.value
    warmup, decay = (_epochs(extent, total) for extent in (stage.schedule.warmup, decay_of(stage.schedule)))
    return total, warmup, decay


def _epochs(extent: Extent, total: float) -> float:
    share = {Dimension.EPOCHS: 1, Dimension.PERCENT: total / 100}.get(extent.unit, 0)
    return round(extent.value * share, 9)


def _steps(stage: StageSpec, extent: Extent, total: int | None) -> int | None:
    # What is said in steps or shares holds whatever is wrong with batch, mesh or data.
    if extent.unit in (Dimension.STEPS, Dimension.PERCENT):
        return steps_of(extent, 1, 1, total)
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    return steps_of(extent, batch.global_size, batch.global_size * stage.data.sequence, total) if batch else None
