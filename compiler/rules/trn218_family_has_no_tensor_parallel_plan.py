"""TRN218: tensor parallelism for a family that transformers has no plan for, or one that this version cannot follow.

Why: which matrices are cut along which side is transformers' own plan of a model; without one there is nothing to follow, and
frameworks say so when the job has its GPUs (huggingface/transformers#36296).
Example:
  mesh wide { dp_shard = 2, tp = 8 }
  model small { architecture { family = gpt2, kv_heads = none } }
Instead:
  mesh wide { dp_shard = 16, tp = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks the family."""
    name, tp = stage.model.architecture.family, stage.mesh.tp
    if tp == 1 or family(name).tensor_parallel:
        return
    yield Finding(
        at="mesh.tp",
        message=f"`tp` {tp} splits matrices by transformers' plan for the model, and there is none to follow for `{name}`",
        help="set `tp = 1`, and shard over `dp_shard` instead",
        also={"model.architecture.family": f"`family` is {name}"},
    )
