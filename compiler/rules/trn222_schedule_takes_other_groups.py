"""TRN222: a pipeline schedule with a number of `virtual_stages` that it is not made for.

Why: `gpipe` and `one_f_one_b` have one group of layers a rank, `interleaved` several; `zbv` and `dualpipe_v` lay two on each rank,
there and back. A schedule on groups that lie otherwise fails inside its first step (pytorch/torchtitan#774).
Example:
  mesh wide { dp_shard = 4, pp = 4, schedule = zbv }
  batch { global = 64, micro = 2 }
  strategy = fsdp2 { reshard_after_forward = false }
Instead:
  mesh wide { dp_shard = 4, pp = 4, schedule = zbv, virtual_stages = 2 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.schedules import GROUPS, takes
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the groups a rank with what the schedule takes."""
    mesh = stage.mesh
    if mesh.pp == 1 or takes(mesh):
        return
    least, most = GROUPS[mesh.schedule]
    if most == 1:
        taken, help = "one group", "leave `virtual_stages` out, or set `schedule = interleaved`"
    elif most is None:
        taken, help = f"{least} groups or more", f"set `virtual_stages = {least}`, or `schedule = one_f_one_b`"
    else:
        taken, help = f"{most} groups", f"set `virtual_stages = {most}`"
    yield Finding(
        at="mesh.schedule",
        message=f"`{mesh.schedule}` takes {taken} of layers a rank, `virtual_stages` is {mesh.virtual_stages}",
        help=help,
        also={"mesh.virtual_stages": f"`virtual_stages` is {mesh.virtual_stages}"} if mesh.virtual_stages > 1 else {},
    )
