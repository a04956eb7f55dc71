"""TRN305: an evaluation or checkpoint is due only after the run has ended.

Why: up to a whole run is lost at a failure, and the best step is never seen (huggingface/transformers#28539,
huggingface/transformers#30160).
Example:
  duration = 1000 steps
  eval { every = 2000 steps }
Instead:
  eval { every = 100 steps }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import CheckpointSpec, StageSpec
from . import Finding
from .run_length import total_steps

SEVERITY = Severity.WARNING


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the intervals with the run; one that was left to its default is nobody's mistake."""
    total = total_steps(stage)
    if not total:
        return
    if stage.eval is not None and stage.eval.every > total:
        yield _finding("eval", stage.eval.every, total)
    if stage.checkpoint.every > total and stage.checkpoint.every != CheckpointSpec().every:
        yield _finding("checkpoint", stage.checkpoint.every, total)


def _finding(what: str, every: int, total: int) -> Finding:
    return Finding(
        at=f"{what}.every",
        message=f"`{what}` every {every} steps is never due in a run of {total} steps",
        help=f"set `every = {max(total // 10, 1)} steps`",
        also={"duration": f"the run is {total} steps long"},
    )
