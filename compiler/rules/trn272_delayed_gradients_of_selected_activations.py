"""TRN272: a schedule that computes the gradients of weights later, with `recompute = selective`.

Why: `zero_bubble`, `zbv` and `dualpipe_v` go back through a layer twice, and what torch keeps for a selective recomputation may be
read once: the run would end at its first step. Other trainers do without it under these schedules too (areal-project/AReaL#936).
Example:
  mesh wide { dp_shard = 4, pp = 4, schedule = zero_bubble }
  strategy = fsdp2 { reshard_after_forward = false }
  stage lean = pretrain { recompute = selective }
Instead:
  stage lean = pretrain { recompute = full }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.schedules import DELAYING
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for whole layers to be computed again."""
    mesh = stage.mesh
    if mesh.pp > 1 and mesh.schedule in DELAYING and stage.recompute == "selective":
        yield Finding(
            at="recompute",
            message=f"`{mesh.schedule}` goes back through a layer twice, which `selective` allows once",
            help="set `recompute = full` or `none`; or `schedule = one_f_one_b`, or `interleaved`",
            also={"mesh.schedule": f"`schedule` is {mesh.schedule}"},
        )
