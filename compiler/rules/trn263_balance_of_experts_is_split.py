"""TRN263: the loss that balances experts, on ranks that share sequences.

Why: the balance of a sequence is taken from the routers over all its tokens, which lie on several ranks with `cp`; torchtitan adds
up their counts over the axis for that reason (pytorch/torchtitan#3000), which this version does not.
Example:
  mesh wide { dp_shard = 8, cp = 2 }
  model small { architecture { family = mixtral, experts = 8, experts_per_token = 2, layers = 4, router_aux_loss = 0.01 } }
Instead:
  model small { architecture { family = mixtral, experts = 8, experts_per_token = 2, layers = 4, router_aux_loss = 0 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that a rank has whole sequences where experts are balanced; TRN226 speaks of pipelines."""
    mesh, architecture = stage.mesh, stage.model.architecture
    if mesh.cp == 1 or not architecture.router_aux_loss or "router_aux_loss" not in family(architecture.family).reads:
        return
    yield Finding(
        at="model.architecture.router_aux_loss",
        message=f"the balance of experts cannot be taken from the parts of sequences that `cp` {mesh.cp} makes",
        help="set `router_aux_loss = 0`; or do without `cp`",
        also={"mesh.cp": f"`cp` is {mesh.cp}"},
    )
