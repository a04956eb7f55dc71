"""Arithmetic of adapters, one file an adapter: what one adds to a matrix. The adapter's name is its module's."""

from __future__ import annotations

import importlib
import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Protocol, cast

from ..families import family
from ..families.parts.matrices import Matrix
from ..spec import Adapter, ArchitectureSpec, ModelSpec

ALL = "all_linear"


class AdapterModule(Protocol):
    """What an adapter's module offers."""

    def shapes(self, adapter: Adapter, name: str, matrix: Matrix) -> list[tuple[int, ...]]:
        """The tensors that train beside a matrix of that short name."""

    def reads(self, name: str) -> bool:
        """Whether the backward pass needs what the matrix reads."""

    def saved(self, adapter: Adapter, name: str, matrix: Matrix) -> int:
        """Entries a token that the backward pass needs beside that."""

    def made(self, adapter: Adapter, name: str, matrix: Matrix) -> int:
        """Entries a token that its own matrices make."""


def adapter_module(adapter: Adapter) -> AdapterModule:
    """The module of an adapter's variant."""
    # A module offers the protocol's functions at its top level; the type checker cannot see that through a computed name.
    return cast(AdapterModule, importlib.import_module(f".{adapter.variant}", __name__))


def targets(adapter: Adapter, architecture: ArchitectureSpec) -> Mapping[str, Matrix]:
    """The matrices of a layer that the adapter aims at, in the layer's order; none for a name that the family lacks."""
    matrices = family(architecture.family).matrices(architecture)
    return {name: matrix for name, matrix in matrices.items() if name in adapter.targets or ALL in adapter.targets}


def layer_shapes(adapter: Adapter, architecture: ArchitectureSpec) -> Mapping[str, list[tuple[int, ...]]]:
    """The tensors that train in one layer, by the part of the model that they stand beside."""
    module, found = adapter_module(adapter), defaultdict[str, list[tuple[int, ...]]](list)
    for name, matrix in targets(adapter, architecture).items():
        found[matrix.part] += module.shapes(adapter, name, matrix)
    return found


def layer_parameters(adapter: Adapter, architecture: ArchitectureSpec) -> int:
    """What trains in one layer."""
    return sum(_sizes(adapter, architecture))


def largest(adapter: Adapter, architecture: ArchitectureSpec) -> int:
    """Entries of the largest tensor that trains."""
    return max(_sizes(adapter, architecture))


def _sizes(adapter: Adapter, architecture: ArchitectureSpec) -> list[int]:
    return [math.prod(shape) for shapes in layer_shapes(adapter, architecture).values() for shape in shapes]


def saved(adapter: Adapter, architecture: ArchitectureSpec) -> int:
    """Entries a token that one layer's adapters keep for the backward pass."""
    module = adapter_module(adapter)
    return sum(module.saved(adapter, name, matrix) for name, matrix in targets(adapter, architecture).items())


def read(adapter: Adapter, architecture: ArchitectureSpec) -> frozenset[str]:
    """The matrices of a layer whose input the backward pass needs."""
    module = adapter_module(adapter)
    return frozenset(name for name in targets(adapter, architecture) if module.reads(name))


def made(adapter: Adapter, architecture: ArchitectureSpec) -> int:
    """Entries a token that one layer's adapters make with matrices of their own."""
    module = adapter_module(adapter)
    return sum(module.made(adapter, name, matrix) for name, matrix in targets(adapter, architecture).items())


def facts(adapter: Adapter, model: ModelSpec) -> dict[str, Any]:
    """An adapter as plan.json holds it: its settings, its targets as modules' names, and what trains in the whole model.

    Settings of other adapters are null.
    """
    shape = model.architecture
    settings = {name: adapter.__dict__.get(name) for name in ("rank", "alpha", "rank_stabilized", "init")}
    return {
        "name": adapter.variant,
        **settings,
        "ranks": _ranks(adapter),
        "targets": {name: matrix.path for name, matrix in targets(adapter, shape).items()},
        "parameters": shape.layers * layer_parameters(adapter, shape),
    }


def _ranks(adapter: Adapter) -> dict[str, int] | None:
    """Ranks of single matrices by short name; null for an adapter that has none."""
    ranks = adapter.__dict__.get("ranks")
    return {name: rank for name, rank in ranks.__dict__.items() if rank is not None} if ranks else None
