"""TRN502: tensor parallelism with an adapter whose parts it cannot cut yet.

Why: what stands beside a matrix must be cut as the matrix is, or each rank adds an update that belongs to another's slice
(saforem2/ezpz#208, where it took seven attempts; huggingface/peft#3614). LoRA's two matrices are cut; lengths of rows and factors
of activations are not.
Example:
  stage tuned = pretrain { adapter = dora {} }
  mesh wide { dp_shard = 2, tp = 8 }
Instead:
  stage tuned = pretrain { adapter = lora {} }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Lora, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """LoRA is what tp knows."""
    if stage.adapter is None or stage.mesh.tp == 1 or isinstance(stage.adapter, Lora):
        return
    name, tp = stage.adapter.variant, stage.mesh.tp
    yield Finding(
        at="mesh.tp",
        message=f"`tp` {tp} cuts matrices that `{name}` stands beside, which is not built yet",
        help="set `tp = 1`, and shard over `dp_shard` instead, or use `lora`",
        also={"adapter": f"`adapter` is {name}"},
    )
