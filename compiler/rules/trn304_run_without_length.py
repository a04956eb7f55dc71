"""TRN304: a run of no steps, or one that is a percentage of itself.

Why: a run without steps divides by zero in the schedule, or is reported as finished at once
(allenai/open-instruct#1795, axolotl-ai-cloud/axolotl#3100).
Example:
  duration = 50%
Instead:
  duration = 1000 steps
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from ..units import Dimension
from . import Finding

WAY_OUT = "say how long to train: `1000 steps`, `10M samples`, `2B tokens` or `3 epochs`"


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a length that is more than nothing."""
    duration = stage.duration
    if duration.unit is Dimension.PERCENT:
        yield Finding("duration", f"`duration` {duration.words} is a share of the run that it should define", WAY_OUT)
    elif duration.value == 0:
        yield Finding("duration", f"`duration` is 0 {duration.unit.value}", WAY_OUT)
