"""Layers that differ: the leading ones of some families are dense. What a family says of one layer it says of the last."""

from __future__ import annotations

from dataclasses import dataclass

from ..spec import ArchitectureSpec, StageSpec


@dataclass(frozen=True, slots=True)
class Kind:
    """Equal layers of a stage: `stage` ends with one, `count` of them follow each other behind `before` others."""

    stage: StageSpec
    count: int
    before: int


def leading(architecture: ArchitectureSpec) -> int:
    """The dense layers that come first."""
    return min(architecture.first_k_dense_replace, architecture.layers)


def first_layer(architecture: ArchitectureSpec) -> ArchitectureSpec:
    """An architecture of the first layer alone."""
    return architecture.replace(layers=1, first_k_dense_replace=min(1, architecture.first_k_dense_replace))


def with_architecture(stage: StageSpec, architecture: ArchitectureSpec) -> StageSpec:
    """The stage with another architecture."""
    return stage.replace(model=stage.model.replace(architecture=architecture))


def kinds(stage: StageSpec) -> tuple[Kind, ...]:
    """The stage's layers, in their order."""
    architecture = stage.model.architecture
    dense = leading(architecture)
    if not dense:
        return (Kind(stage, architecture.layers, 0),)
    first = Kind(with_architecture(stage, architecture.replace(layers=dense)), dense, 0)
    rest = architecture.layers - dense
    return (first, Kind(stage, rest, dense)) if rest else (first,)
