"""TRN219: `sync_each_batch` where gradients are reduced once a step anyway, or by a pipeline.

Why: it trades communication for the memory of whole gradients between micro-batches (huggingface/accelerate#2531); with one
micro-batch a step there are none, and a pipeline keeps its own order: the setting would be ignored.
Example:
  strategy = fsdp2 { sync_each_batch = true }
  batch { global = 32, micro = 2 }
Instead:
  batch { global = 64, micro = 2 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.batch import plan_batch
from ..spec import Fsdp2, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for micro-batches that are accumulated."""
    if not isinstance(stage.strategy, Fsdp2) or not stage.strategy.sync_each_batch:
        return
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    at, help = "strategy.sync_each_batch", "leave it out"
    if stage.mesh.pp > 1:
        yield Finding(at, "a pipeline reduces gradients after its last micro-batch", help, {"mesh.pp": f"`pp` is {stage.mesh.pp}"})
    elif batch is not None and batch.accumulation == 1:
        yield Finding(at, "a step has one micro-batch a rank: there is nothing to reduce in between", help)
