"""TRN612: `attention = sdpa` for a family whose attention transformers cannot compute in one operation.

Why: torch's fused attention cannot bound scores before the softmax; with it Gemma 2 computed other numbers without a word
(huggingface/transformers#32865), and transformers 5 refuses the model when the job has its GPUs.
Example:
  model small {
    architecture { family = gemma2 }
  }
Instead:
  model small {
    attention = eager
    architecture { family = gemma2 }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for attention operation by operation."""
    model = stage.model
    if model.attention == "sdpa" and not family(model.architecture.family).fused_attention:
        yield Finding(
            at="model.attention",
            message=f"a `{model.architecture.family}` cannot run with `attention` = sdpa",
            help="set `attention = eager`",
            also={"model.architecture.family": f"`family` is {model.architecture.family}"},
            set={"model.attention": "eager"},
        )
