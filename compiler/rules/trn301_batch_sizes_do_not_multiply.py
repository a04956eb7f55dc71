"""TRN301: the batch sizes do not fit together: global = micro x accumulation x data-parallel ranks.

Why: DeepSpeed stops with an assertion when the job has its GPUs (deepspeedai/DeepSpeed#6914, deepspeedai/DeepSpeed#3982);
frameworks that divide and round down train with another batch than the one asked for (pytorch/torchtitan#1238).
Example:
  mesh wide { dp_shard = 16 }
  batch { global = 100, micro = 2 }
Instead:
  batch { global = 96, micro = 2 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.batch import nearest_globals, plan_batch
from ..spec import BatchSpec, StageSpec
from . import Finding
from .choices import one_of


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for whole numbers of micro-batches; what is left out is derived, so it cannot be wrong."""
    batch, ranks = stage.batch, stage.mesh.data_parallel
    if stage.mesh.size != stage.mesh.cluster.world_size:
        return  # TRN201 speaks; the number of ranks is not yet what it will be.
    if batch.global_ is None or plan_batch(batch, ranks) is not None:
        return
    legal = nearest_globals(batch, ranks)
    yield Finding(
        at="batch.global",
        message=_message(batch, ranks),
        help=f"set {one_of('global', legal)}",
        also={"mesh.dp_shard": f"{ranks} data-parallel ranks: {stage.mesh.dp_replicate} x {stage.mesh.dp_shard}"},
        set={"batch.global": str(legal[0])} if len(legal) == 1 else {},
    )


def _message(batch: BatchSpec, ranks: int) -> str:
    given = {"micro": batch.micro, "accumulation": batch.accumulation}
    factors = " x ".join([*(f"`{name}` {size}" for name, size in given.items() if size), f"{ranks} data-parallel ranks"])
    unit = (batch.micro or 1) * (batch.accumulation or 1) * ranks
    if batch.micro and batch.accumulation:
        return f"{factors} makes {unit}, `global` is {batch.global_}"
    return f"`global` {batch.global_} is no multiple of {factors}" + (f", which makes {unit}" if unit != ranks else "")
