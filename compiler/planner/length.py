"""Lengths in optimizer steps: durations, warmups and decays, whatever unit they are written in."""

from __future__ import annotations

import math

from ..schema import Extent
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
            return round(total_steps * extent.value / 100)
    return None
