"""TRN210: the key and value heads do not divide the query heads.

Why: each key head serves a group of query heads, all groups of one size; otherwise attention fails in its first forward pass
(huggingface/transformers#48203), or a kernel leaves heads out (fla-org/flash-linear-attention#1029).
Example:
  model small { architecture { heads = 32, kv_heads = 6 } }
Instead:
  model small { architecture { heads = 32, kv_heads = 8 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .choices import divisors, nearest


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the query heads by the key heads."""
    heads, kv_heads = stage.model.architecture.heads, stage.model.architecture.kv_heads
    if kv_heads is None or heads % kv_heads == 0:
        return
    yield Finding(
        at="model.architecture.kv_heads",
        message=f"`kv_heads` {kv_heads} does not divide `heads` {heads}",
        help=f"set `kv_heads = {nearest(kv_heads, divisors(heads))}`",
        also={"model.architecture.heads": f"`heads` is {heads}"},
    )
