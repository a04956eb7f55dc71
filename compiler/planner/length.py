"""Lengths in optimizer steps: durations, warmups and decays, whatever unit they are written in."""

from __future__ import annotations

import math

from ..schema import Extent
from ..spec import Schedule, Wsd
from ..units import Dimension


def steps_of(extent: Extent, samples_per_step: int, tokens_per_step: int, total_steps: int | None = None) -> int | None:
    """The optimizer steps of an extent, partial ones counted whole; None for epochs, whose length only the data tells.

    A percentage is taken of `total_steps` and is None without it.
    """
    match extent.unit:
        case Dimension.STEPS:
            return int(extent.value)
        case Dimension.SAMPLES:
            return math.ceil(extent.value / samples_per_step)
        case Dimension.TOKENS:
            return math.ceil(extent.value / tokens_per_step)
        case Dimension.PERCENT if total_steps is not None:
            # The rounding hides 0.07 * 300 / 100 == 0.21000000000000002.
            return math.ceil(round(total_steps * extent.value / 100, 9))
    return None


def decay_of(schedule: Schedule) -> Extent:
    """The final decay of wsd; no steps for schedules without one of their own."""
    return schedule.decay if isinstance(schedule, Wsd) else Extent(0, Dimension.STEPS)
