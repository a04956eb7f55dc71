"""TRN203: `tp` does not divide the attention heads.

Why: a rank holds whole heads; frameworks find out by an assertion when the job has its GPUs
(deepspeedai/DeepSpeed#3634, vllm-project/vllm#52435).
Example:
  mesh wide { dp_shard = 2, tp = 8 }
  model small { architecture { hidden = 1536, heads = 12, kv_heads = 4 } }
Instead:
  mesh wide { dp_shard = 4, tp = 4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .tensor_parallel import uneven


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the query heads among the ranks of a group."""
    yield from uneven(stage, "heads")
