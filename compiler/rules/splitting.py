"""Strategies that spread whole models only."""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding

SPLITTING = ("tp", "pp", "cp", "ep")


def whole_models_only(stage: StageSpec) -> Iterator[Finding]:
    """A finding where the stage's mesh has an axis that splits the model."""
    mesh = stage.mesh
    split = [axis for axis in SPLITTING if getattr(mesh, axis) > 1]
    if not split:
        return
    degrees = " and ".join(f"`{axis}` {getattr(mesh, axis)}" for axis in split)
    yield Finding(
        at="strategy",
        message=f"`{stage.strategy.variant}` cannot spread a model that `{mesh.name}` splits by {degrees}",
        help="set `strategy = fsdp2`, which spreads what the other axes leave",
        also={f"mesh.{split[0]}": f"`{split[0]}` is {getattr(mesh, split[0])}"},
    )
