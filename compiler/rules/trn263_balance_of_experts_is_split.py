"""TRN263: the loss that balances experts, on a mesh that splits sequences or layers.

Why: the balance of a sequence is taken from the routers of all layers over all its tokens; with `pp` or `cp` they lie on several
ranks. Elsewhere it changed with the degree of the pipeline (databricks/megablocks#85), or broke with some of its schedules
(pytorch/torchtitan#2061).
Example:
  mesh wide { dp_shard = 8, pp = 2 }
  batch { micro = 4 }
  model small { architecture { family = mixtral, experts = 8, experts_per_token = 2, layers = 4 } }
Instead:
  model small { architecture { router_aux_loss = 0 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that a model whose experts are balanced has whole sequences and all layers on each rank."""
    mesh, architecture = stage.mesh, stage.model.architecture
    splits = [axis for axis in ("pp", "cp") if getattr(mesh, axis) > 1]
    if not splits or not architecture.router_aux_loss or "experts" not in family(architecture.family).reads:
        return
    yield Finding(
        at="model.architecture.router_aux_loss",
        message=f"the balance of experts cannot be taken where `{splits[0]}` {getattr(mesh, splits[0])} splits a model",
        help=f"set `router_aux_loss = 0`, or `{splits[0]} = 1`",
        also={f"mesh.{splits[0]}": f"`{splits[0]}` is {getattr(mesh, splits[0])}"},
    )
