"""LoRA: two thin matrices beside one (Hu et al. 2021, arXiv:2106.09685, section 4.1)."""

from __future__ import annotations

from ..families.parts.matrices import Matrix
from ..spec import Adapter


def rank(adapter: Adapter, name: str) -> int:
    """The rank of the update of a matrix."""
    own = getattr(adapter.ranks, name)
    return int(adapter.rank if own is None else own)


def shapes(adapter: Adapter, name: str, matrix: Matrix) -> list[tuple[int, ...]]:
    """A, rank x inputs, and B, outputs x rank."""
    return [(rank(adapter, name), matrix.inputs), (matrix.outputs, rank(adapter, name))]


def reads(name: str) -> bool:
    """A reads what the matrix does."""
    return True


def saved(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """What A makes, which B reads."""
    return rank(adapter, name)


def made(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """What A and B make."""
    return rank(adapter, name) + matrix.outputs
