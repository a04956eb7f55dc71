"""TRN217: `reshard_group` is no part of the ranks that share a copy, or has nothing to keep.

Why: after the forward pass a layer is cut over groups of that many neighbours; torch's `fully_shard` asks for a divisor of the
shards other than 1 and all of them, and stops at the build of the model otherwise (pytorch/pytorch#117877).
Example:
  strategy = fsdp2 { reshard_group = 3 }
Instead:
  strategy = fsdp2 { reshard_group = 8 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Fsdp2, StageSpec
from . import Finding
from .choices import divisors, one_of


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the group with the shards, and with `reshard_after_forward`, which it refines."""
    strategy, mesh = stage.strategy, stage.mesh
    if not isinstance(strategy, Fsdp2) or strategy.reshard_group is None:
        return
    if not strategy.reshard_after_forward:
        yield Finding(
            at="strategy.reshard_group",
            message="`reshard_group` cuts parameters after the forward pass, and `reshard_after_forward` keeps them whole",
            help="leave one of the two out",
            also={"strategy.reshard_after_forward": "`reshard_after_forward` is false"},
        )
        return
    shards = mesh.dp_shard * mesh.cp
    fitting = divisors(shards)[1:-1]
    if strategy.reshard_group not in fitting:
        yield Finding(
            at="strategy.reshard_group",
            message=f"`reshard_group` {strategy.reshard_group} is no part of the {shards} ranks that share a copy on `{mesh.name}`",
            help=f"set {one_of('reshard_group', fitting)}" if fitting else "leave it out",
            also={"mesh.dp_shard": f"`dp_shard` is {mesh.dp_shard}"},
        )
