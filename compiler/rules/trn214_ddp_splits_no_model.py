"""TRN214: `ddp` on a mesh that splits the model.

Why: `ddp` averages the gradients of ranks that hold the same weights, over all ranks; on a mesh with `tp`, `pp`, `cp` or `ep` it
would average what belongs to different parts of the model. torch's stops at parameters that are spread, when the job has its GPUs
(huggingface/transformers#36296).
Example:
  mesh wide { dp_shard = 1, dp_replicate = 8, tp = 2 }
  strategy = ddp
Instead:
  mesh wide { dp_shard = 8, tp = 2 }
  strategy = fsdp2
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Ddp, StageSpec
from . import Finding

SPLITTING = ("tp", "pp", "cp", "ep")


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a mesh with data-parallel axes only."""
    mesh = stage.mesh
    split = [axis for axis in SPLITTING if getattr(mesh, axis) > 1]
    if not isinstance(stage.strategy, Ddp) or not split:
        return
    degrees = " and ".join(f"`{axis}` {getattr(mesh, axis)}" for axis in split)
    yield Finding(
        at="strategy",
        message=f"`ddp` cannot spread a model that `{mesh.name}` splits by {degrees}",
        help="set `strategy = fsdp2`, which spreads what the other axes leave",
        also={f"mesh.{split[0]}": f"`{split[0]}` is {getattr(mesh, split[0])}"},
    )
