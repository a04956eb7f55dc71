"""TRN206: `tp` does not divide the inner width of the feed-forward block.

Why: each rank computes an equal share of it; the error of frameworks is a bare "25 is not divisible by 4"
(vllm-project/vllm#8097, deepspeedai/DeepSpeed#2891).
Example:
  mesh wide { dp_shard = 2, tp = 8 }
  model small { architecture { ffn = 5460 } }
Instead:
  model small { architecture { ffn = 5464 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .tensor_parallel import uneven


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the feed-forward block among the ranks of a group."""
    yield from uneven(stage, "ffn")
