"""TRN262: `ep` does not divide the ranks that share a copy of the model.

Why: a group that shares the experts lies inside the ranks that share everything else, and shards its experts over the rest of
them. Other degrees gave torchtitan a mesh with an axis that was cut short or empty (pytorch/torchtitan#4258).
Example:
  mesh wide { dp_shard = 2, dp_replicate = 8, ep = 8 }
  model small { architecture { family = mixtral, experts = 8, experts_per_token = 2, layers = 4 } }
Instead:
  mesh wide { dp_shard = 8, dp_replicate = 2, ep = 8 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding
from .choices import divisors, one_of


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the ranks that share a copy into groups; TRN261 speaks of models without experts."""
    mesh, architecture = stage.mesh, stage.model.architecture
    shards = mesh.dp_shard * mesh.cp
    if mesh.ep == 1 or shards % mesh.ep == 0 or "experts" not in family(architecture.family).reads:
        return
    fitting = [degree for degree in divisors(shards)[1:] if architecture.experts % degree == 0]
    yield Finding(
        at="mesh.ep",
        message=f"`ep` {mesh.ep} does not divide the {shards} ranks that share a copy on `{mesh.name}`",
        help=f"set {one_of('ep', fitting)}, or another `dp_shard`" if fitting else "choose another `dp_shard`",
        also={"mesh.dp_shard": f"`dp_shard` is {mesh.dp_shard}"},
    )
