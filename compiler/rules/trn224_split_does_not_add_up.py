"""TRN224: a `split` that does not give every layer a group, or every group its layers.

Why: what no group holds is not trained: a framework that divided 30 layers by 4 ranks went on with 28 of them
(NVIDIA/Megatron-LM#1304).
Example:
  mesh wide { dp_shard = 4, pp = 4, split = [4, 4, 4, 3] }
Instead:
  mesh wide { dp_shard = 4, pp = 4, split = [4, 4, 5, 3] }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Counts the groups and their layers."""
    mesh, layers = stage.mesh, stage.model.architecture.layers
    if mesh.split is None or mesh.pp == 1:
        return
    if len(mesh.split) != mesh.parts:
        yield Finding(
            at="mesh.split",
            message=f"`split` has {len(mesh.split)} groups, not `pp` {mesh.pp} x `virtual_stages` {mesh.virtual_stages}",
            help=f"give the layers of {mesh.parts} groups, or leave `split` out to have them balanced",
        )
    elif sum(mesh.split) != layers:
        yield Finding(
            at="mesh.split",
            message=f"`split` adds up to {sum(mesh.split)} layers, `{stage.model.name}` has {layers}",
            help="give every layer a group, or leave `split` out to have them balanced",
            also={"model.architecture.layers": f"`layers` is {layers}"},
        )
