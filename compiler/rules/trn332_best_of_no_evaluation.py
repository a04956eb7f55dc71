"""TRN332: the best checkpoint is to be kept, and nothing is evaluated.

Why: the best is the one of the lowest held-out loss; without evaluations there is none, and a trainer that was asked for it wrote
no checkpoints at all, without a word (huggingface/transformers#12685).
Example:
  eval = none
  checkpoint { keep_best = true }
Instead:
  eval { every = 100 steps }
  checkpoint { every = 100 steps, keep_best = true }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for evaluations."""
    if stage.checkpoint.keep_best and stage.eval is None:
        yield Finding(
            at="checkpoint.keep_best",
            message="`keep_best` compares held-out losses, and the stage has no `eval`",
            help=f"add `eval {{ every = {stage.checkpoint.every} steps }}`, or leave `keep_best` out",
        )
