"""TRN711: `recompute_every` where no layer is computed again.

Why: the last of every so many layers is; without `recompute`, or with groups longer than the model, the setting would be ignored
and the memory it promises never be saved. A trainer that took the half-way settings of its users and acted on none of them is
MakazhanAlpamys/Soup#44.
Example:
  stage lean = pretrain { recompute_every = 2 }
Instead:
  stage lean = pretrain { recompute = full, recompute_every = 2 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a kind of recomputation, and for a group that a rank's layers fill."""
    every, mesh = stage.recompute_every, stage.mesh
    layers = stage.model.architecture.layers // (mesh.pp * mesh.virtual_stages)
    if every > 1 and stage.recompute == "none":
        yield Finding(
            at="recompute_every",
            message=f"`recompute_every` {every} does nothing without `recompute`",
            help="set `recompute = full` or `selective`, or leave `recompute_every` out",
        )
    elif every > max(1, layers):
        where = f"the {layers} layers" + (" of a pipeline stage" if mesh.pp > 1 else "")
        yield Finding(
            at="recompute_every",
            message=f"`recompute_every` {every} recomputes none of {where}",
            help="set `recompute_every = 2`, or leave it out to recompute them all",
            also={"model.architecture.layers": f"`layers` is {stage.model.architecture.layers}"},
        )
