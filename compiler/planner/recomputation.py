"""Which layers compute their activations again: of every `recompute_every` the last."""

from __future__ import annotations

from ..spec import StageSpec


def recomputed(stage: StageSpec) -> int:
    """Layers that do."""
    return recomputed_among(stage, 0, stage.model.architecture.layers)


def recomputed_among(stage: StageSpec, before: int, count: int) -> int:
    """Those among `count` layers behind `before` others."""
    every = stage.recompute_every
    return 0 if stage.recompute == "none" else (before + count) // every - before // every


def last_is_recomputed(stage: StageSpec) -> bool:
    """Whether the last layer does, whose backward pass comes first."""
    return stage.recompute != "none" and stage.model.architecture.layers % stage.recompute_every == 0


def is_recomputed(stage: StageSpec, index: int) -> bool:
    """Whether the layer behind `index` others does."""
    return recomputed_among(stage, index, 1) == 1


def first_is_recomputed(stage: StageSpec) -> bool:
    """Whether the first layer does: it is the last of a group only where that is all of it."""
    return stage.recompute != "none" and stage.recompute_every == 1
