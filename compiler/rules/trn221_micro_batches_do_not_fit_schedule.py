"""TRN221: a step has a number of micro-batches that the pipeline's schedule cannot be made for.

Why: a pipeline works on the micro-batches of one step, `accumulation`. `one_f_one_b` needs one for each rank of `pp`,
`dualpipe_v` two; `interleaved` and `zero_bubble` go in rounds of at least `pp`, all of one size (pytorch/pytorch#129597). With
fewer, training hung at its first micro-batch (pytorch/torchtitan#775), or stopped when the job had its GPUs
(huggingface/nanotron#347).
Example:
  mesh wide { dp_shard = 4, pp = 4 }
  batch { global = 8, micro = 1 }
Instead:
  batch { global = 16, micro = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.batch import plan_batch
from ..planner.schedules import accepts, takes
from ..spec import StageSpec
from . import Finding
from .choices import nearest


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks the schedule about the step's micro-batches; TRN301 and TRN302 speak of batches that do not work out."""
    mesh, batch = stage.mesh, plan_batch(stage.batch, stage.mesh.data_parallel)
    if mesh.pp == 1 or batch is None or not takes(mesh) or accepts(mesh, batch.accumulation):
        return
    wanted = nearest(
        batch.accumulation, (count for count in range(1, batch.accumulation + 2 * mesh.pp + 1) if accepts(mesh, count))
    )
    yield Finding(
        at="batch",
        message=f"`{mesh.schedule}` over `pp` {mesh.pp} cannot be made for {batch.accumulation} micro-batches a step",
        help=f"set {_changes(stage, wanted, wanted * batch.micro * batch.data_parallel)}, which makes {wanted} micro-batches",
        also={"mesh.pp": f"`pp` is {mesh.pp}"},
    )


def _changes(stage: StageSpec, accumulation: int, size: int) -> str:
    """The written fields of the batch that have to change."""
    written = {"accumulation": accumulation} if stage.batch.accumulation is not None else {}
    if stage.batch.global_ is not None or not written:
        written["global"] = size
    return " and ".join(f"`{field} = {value}`" for field, value in written.items())
