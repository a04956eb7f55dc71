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
from .splitting import whole_models_only


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a mesh with data-parallel axes only."""
    if isinstance(stage.strategy, Ddp):
        yield from whole_models_only(stage)
