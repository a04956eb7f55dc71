"""TRN242: one of DeepSpeed's strategies on a mesh that asks for copies.

Why: ZeRO shares states among all data-parallel ranks; `dp_replicate` would be ignored, and its traffic cross the nodes that the
copies were meant to keep apart. DeepSpeed has no hybrid sharding (deepspeedai/DeepSpeed#4426), and its second copy of parameters,
hpZ, serves the backward pass only (deepspeedai/DeepSpeed#6467).
Example:
  mesh wide { dp_shard = 8, dp_replicate = 2 }
  strategy = zero3
Instead:
  mesh wide { dp_shard = 16, dp_replicate = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .zero_stages import is_zero


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that all data-parallel ranks share one copy."""
    mesh = stage.mesh
    if not is_zero(stage.strategy) or mesh.dp_replicate == 1:
        return
    yield Finding(
        at="strategy",
        message=f"`{stage.strategy.variant}` shares states among all data-parallel ranks, "
        f"and `{mesh.name}` has `dp_replicate` {mesh.dp_replicate}",
        help=f"set `dp_shard = {mesh.data_parallel}` without `dp_replicate`; or `strategy = fsdp2`, which keeps copies",
        also={"mesh.dp_replicate": f"`dp_replicate` is {mesh.dp_replicate}"},
    )
