"""TRN333: the best checkpoint is to be kept, and some evaluations fall on steps that are not saved.

Why: the lowest loss may be one of those, whose weights are gone; a trainer that then saved at other steps than it was told to came
to refuse intervals that do not meet (huggingface/transformers#12786, huggingface/transformers#12315).
Example:
  eval { every = 100 steps }
  checkpoint { every = 200 steps, keep_best = true }
Instead:
  eval { every = 200 steps }
  checkpoint { every = 200 steps, keep_best = true }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a checkpoint at each evaluation; there may be more."""
    if not stage.checkpoint.keep_best or stage.eval is None:
        return
    evaluated, saved = stage.eval.every, stage.checkpoint.every
    if evaluated % saved:
        yield Finding(
            at="checkpoint.keep_best",
            message=f"the evaluation after step {evaluated} has no checkpoint: one is written every {saved} steps",
            help=f"write a checkpoint every {evaluated} steps, or a divisor of it: every evaluation then has one",
            also={"eval.every": f"`eval` every {evaluated} steps", "checkpoint.every": f"`checkpoint` every {saved} steps"},
        )
