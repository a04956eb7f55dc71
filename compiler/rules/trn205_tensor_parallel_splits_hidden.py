"""TRN205: `tp` does not divide the hidden width.

Why: sequence-parallel norms and the output matrices cut it into equal parts; the error of frameworks names neither the field nor a
degree that works (deepspeedai/DeepSpeed#2891, hpcaitech/ColossalAI#3043).
Example:
  mesh wide { dp_shard = 2, tp = 8 }
  model small { architecture { hidden = 2052, heads = 8, head_dim = 128 } }
Instead:
  mesh wide { dp_shard = 4, tp = 4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .tensor_parallel import uneven


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the residual stream among the ranks of a group."""
    yield from uneven(stage, "hidden")
