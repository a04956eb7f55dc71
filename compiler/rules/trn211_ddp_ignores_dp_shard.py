"""TRN211: `ddp` on a mesh that asks for shards.

Why: every rank of `ddp` holds the whole model, so `dp_shard` would be ignored, and memory many times what the mesh promises.
Another strategy than the one that was asked for is found by running out of memory, or never (mosaicml/llm-foundry#544).
Example:
  mesh wide { dp_shard = 16 }
  strategy = ddp
Instead:
  mesh wide { dp_shard = 1, dp_replicate = 16 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Ddp, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that a mesh for `ddp` has copies only."""
    mesh = stage.mesh
    if not isinstance(stage.strategy, Ddp) or mesh.dp_shard == 1:
        return
    yield Finding(
        at="strategy",
        message=f"`ddp` shards nothing, and `{mesh.name}` has `dp_shard` {mesh.dp_shard}",
        help=f"set `strategy = fsdp2`; or `dp_replicate = {mesh.data_parallel}` without `dp_shard` to keep `ddp`",
        also={"mesh.dp_shard": f"`dp_shard` is {mesh.dp_shard}"},
    )
