"""IA3: a learned factor for each entry of what a matrix makes, or of what `down` reads (Liu et al. 2022, arXiv:2205.05638)."""

from __future__ import annotations

from ..families.parts.matrices import Matrix
from ..spec import Adapter

# Of this one the input is scaled, as the paper does inside the feed-forward block.
SCALED_INPUT = "down"


def shapes(adapter: Adapter, name: str, matrix: Matrix) -> list[tuple[int, ...]]:
    """One factor an entry, a column or a row (peft: IA3Layer.update_layer)."""
    return [(1, matrix.inputs) if name == SCALED_INPUT else (matrix.outputs, 1)]


def reads(name: str) -> bool:
    """Only what is scaled before it is read."""
    return name == SCALED_INPUT


def saved(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """What is scaled, where a matrix makes it."""
    return 0 if name == SCALED_INPUT else matrix.outputs


def made(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """It has no matrices."""
    return 0
