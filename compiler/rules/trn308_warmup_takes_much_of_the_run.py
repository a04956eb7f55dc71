"""TRN308: the warmup takes more than a fifth of the run.

Why: a warmup in steps is easily copied from a longer run, and most of a short one then passes below the learning rate that was
chosen (axolotl-ai-cloud/axolotl#2897, huggingface/transformers#6673).
Example:
  schedule = cosine { warmup = 400 steps }
  duration = 1000 steps
Instead:
  schedule = cosine { warmup = 50 steps }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import StageSpec
from . import Finding
from .run_length import total_steps, warmup_and_decay

SEVERITY = Severity.WARNING
# In percent of the run; warmups of published runs take a few.
LIMIT = 20
# A few steps are for trying whether something runs at all.
SHORTEST_RUN = 100


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the warmup with a run that holds it."""
    total = total_steps(stage)
    if not total or total < SHORTEST_RUN:
        return
    warmup, decay = warmup_and_decay(stage, total)
    # What does not fit in is more than a matter of taste.
    if warmup + decay <= total and 100 * warmup > LIMIT * total:
        yield Finding(
            at="schedule.warmup",
            message=f"`warmup` is {warmup} of the {total} steps of the run, which leaves {total - warmup} for the peak and below",
            help="set `warmup = 3%`, which follows the length of the run",
            also={"duration": f"the run is {total} steps long"},
        )
