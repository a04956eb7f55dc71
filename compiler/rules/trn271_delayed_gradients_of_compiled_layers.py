"""TRN271: a schedule that computes the gradients of weights later, with layers that are compiled.

Why: `zero_bubble`, `zbv` and `dualpipe_v` make a layer's backward pass in two halves, and a compiled layer's is one piece
(pytorch/pytorch#161904). torch's check for it looks at whole models only, not at layers (pytorch/pytorch#162511): torch 2.13
trains on wrong gradients.
Example:
  mesh wide { dp_shard = 4, pp = 4, schedule = zero_bubble }
  strategy = fsdp2 { reshard_after_forward = false }
  stage fast = pretrain { compile = true }
Instead:
  mesh wide { schedule = one_f_one_b }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.schedules import DELAYING
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for one of the two."""
    mesh = stage.mesh
    if mesh.pp > 1 and mesh.schedule in DELAYING and stage.compile:
        yield Finding(
            at="compile",
            message=f"`{mesh.schedule}` computes gradients of weights apart, and a compiled layer has one backward pass",
            help="set `compile = false`; or `schedule = one_f_one_b`, or `interleaved`",
            also={"mesh.schedule": f"`schedule` is {mesh.schedule}"},
        )
