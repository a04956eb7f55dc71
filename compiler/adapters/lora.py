"""LoRA: two thin matrices beside one (Hu et al. 2021, arXiv:2106.09685, section 4.1)."""

from __future__ import annotations

from ..families.parts.matrices import Matrix
from ..spec import Adapter


def shapes(adapter: Adapter, name: str, matrix: Matrix) -> list[tuple[int, ...]]:
    """A, rank x inputs, and B, outputs x rank."""
    return [(adapter.rank, matrix.inputs), (matrix.outputs, adapter.rank)]


def reads(name: str) -> bool:
    """A reads what the matrix does."""
    return True


def saved(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """What A makes, which B reads."""
    return int(adapter.rank)


def made(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """What A and B make."""
    return int(adapter.rank) + matrix.outputs
