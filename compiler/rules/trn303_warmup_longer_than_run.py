"""TRN303: warmup and decay together are longer than the run.

Why: the learning rate never reaches its peak, or is still at it when the run ends, and no message says so
(axolotl-ai-cloud/axolotl#2897, huggingface/transformers#6673).
Example:
  schedule = cosine { warmup = 2000 steps }
  duration = 1000 steps
Instead:
  schedule = cosine { warmup = 100 steps }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .run_length import total_steps, warmup_and_decay

WAIVABLE = True


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares warmup and final decay with the run, all in steps."""
    total = total_steps(stage)
    if not total:
        return
    warmup, decay = warmup_and_decay(stage, total)
    if warmup + decay <= total:
        return
    long, other = ("warmup", decay) if warmup >= decay else ("decay", warmup)
    parts = [f"`{name}` {steps} steps" for name, steps in (("warmup", warmup), ("decay", decay)) if steps]
    shorter = f"set `{long} = {total - other} steps` or less, or make" if other < total else "make"
    yield Finding(
        at=f"schedule.{long}",
        message=f"{' + '.join(parts)} {'are' if len(parts) > 1 else 'is'} more than the {total} steps of the run",
        help=f"{shorter} `duration` at least {warmup + decay} steps",
        also={"duration": f"the run is {total} steps long"},
    )
