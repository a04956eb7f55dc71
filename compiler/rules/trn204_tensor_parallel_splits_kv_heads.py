"""TRN204: `tp` does not divide the key and value heads.

Why: a rank holds whole heads, and copies of a key head would drift apart; the failure is a cryptic reshape deep in attention
(pytorch/torchtitan#2577).
Example:
  mesh wide { dp_shard = 2, tp = 8 }
  model small { architecture { heads = 32, kv_heads = 4 } }
Instead:
  mesh wide { dp_shard = 4, tp = 4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .tensor_parallel import uneven


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the key and value heads among the ranks of a group; where the query heads do not divide, TRN203 says it all."""
    if stage.model.architecture.heads % stage.mesh.tp == 0:
        yield from uneven(stage, "kv_heads")
