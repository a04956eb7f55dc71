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
from ..units import format_number
from . import Finding
from .run_length import epochs, total_steps, warmup_and_decay

WAIVABLE = True


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares warmup and final decay with the run, all in steps, or in epochs where the run is."""
    total = total_steps(stage)
    if total:
        yield from _compared(total, *warmup_and_decay(stage, total), "steps")
    elif lengths := epochs(stage):
        yield from _compared(*lengths, "epochs")


def _compared(total: float, warmup: float, decay: float, unit: str) -> Iterator[Finding]:
    if warmup + decay <= total:
        return
    long, other = ("warmup", decay) if warmup >= decay else ("decay", warmup)
    parts = [f"`{name}` {_shown(length)} {unit}" for name, length in (("warmup", warmup), ("decay", decay)) if length]
    shorter = f"set `{long} = {_shown(total - other)} {unit}` or less, or make" if other < total else "make"
    yield Finding(
        at=f"schedule.{long}",
        message=f"{' + '.join(parts)} {'are' if len(parts) > 1 else 'is'} more than the {_shown(total)} {unit} of the run",
        help=f"{shorter} `duration` at least {_shown(warmup + decay)} {unit}",
        also={"duration": f"the run is {_shown(total)} {unit} long"},
    )


def _shown(length: float) -> str:
    return format_number(int(length) if length == int(length) else round(length, 9))
