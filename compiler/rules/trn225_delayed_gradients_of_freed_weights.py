"""TRN225: a schedule that computes the gradients of weights later, with layers that are freed after their forward pass.

Why: `zero_bubble`, `zbv` and `dualpipe_v` leave the gradients of weights for idle moments, and in between the layer runs forward
for another micro-batch. If it is freed then, the gradients belong to weights that are not there any more. FSDP looks for one
backward pass, not for two (pytorch/pytorch#134052), and torch 2.13 says nothing: it trains on wrong gradients.
Example:
  mesh wide { dp_shard = 4, pp = 4, schedule = zero_bubble }
  batch { global = 64, micro = 2 }
Instead:
  strategy = fsdp2 { reshard_after_forward = false }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.schedules import DELAYING
from ..spec import Fsdp2, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for layers that stay whole."""
    mesh, strategy = stage.mesh, stage.strategy
    if mesh.pp == 1 or mesh.schedule not in DELAYING or not isinstance(strategy, Fsdp2):
        return
    helps = {
        "reshard_after_forward": "set `reshard_after_forward = false`",
        "reshard_group": "leave it out, and do not free layers whole",
    }
    field = "reshard_after_forward" if strategy.reshard_group is None else "reshard_group"
    if getattr(strategy, field):
        yield Finding(
            at=f"strategy.{field}",
            message=f"`{mesh.schedule}` computes gradients of weights that `{field}` has freed",
            help=helps[field],
            also={"mesh.schedule": f"`schedule` is {mesh.schedule}"},
        )
