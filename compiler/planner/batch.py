"""Batch arithmetic: global = micro x accumulation x data-parallel ranks."""

from __future__ import annotations

from dataclasses import dataclass

from ..spec import BatchSpec


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """Samples a step, all four numbers known."""

    global_size: int
    micro: int
    accumulation: int
    data_parallel: int


def plan_batch(batch: BatchSpec, data_parallel: int) -> BatchPlan | None:
    """The batch with what was left out derived; None where no whole numbers fit or too little is said.

    With only `global` given, `micro` is 1: the least memory.
    """
    micro, accumulation = batch.micro, batch.accumulation
    if batch.global_ is None:
        if micro is None:
            return None
        accumulation = accumulation or 1
        return BatchPlan(micro * accumulation * data_parallel, micro, accumulation, data_parallel)
    if micro is None:
        micro = 1 if accumulation is None else batch.global_ // (accumulation * data_parallel)
    if accumulation is None:
        accumulation = batch.global_ // (micro * data_parallel)
    if not micro or not accumulation or micro * accumulation * data_parallel != batch.global_:
        return None
    return BatchPlan(batch.global_, micro, accumulation, data_parallel)


def nearest_globals(batch: BatchSpec, data_parallel: int, count: int = 3) -> list[int]:
    """The legal global sizes nearest to the one asked for, ascending."""
    unit = (batch.micro or 1) * (batch.accumulation or 1) * data_parallel
    if batch.micro is not None and batch.accumulation is not None:
        return [unit]
    below = max((batch.global_ or unit) // unit, 1)
    around = [unit * factor for factor in range(max(below - count, 1), below + count + 1)]
    nearest = sorted(around, key=lambda size: (abs(size - (batch.global_ or unit)), size))
    return sorted(nearest[:count])
