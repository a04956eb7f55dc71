"""DoRA: LoRA, and a learned length for each row of the matrix (Liu et al. 2024, arXiv:2402.09353, section 4.1)."""

from __future__ import annotations

from ..families.parts.matrices import Matrix
from ..spec import Adapter
from . import lora


def shapes(adapter: Adapter, name: str, matrix: Matrix) -> list[tuple[int, ...]]:
    """LoRA's, and the lengths."""
    return [*lora.shapes(adapter, name, matrix), (matrix.outputs,)]


def reads(name: str) -> bool:
    """A reads what the matrix does."""
    return lora.reads(name)


def saved(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """What A makes, what B makes, and what the matrix makes without its bias: the lengths multiply both (peft: DoraLinearLayer)."""
    return lora.saved(adapter, name, matrix) + 2 * matrix.outputs


def made(adapter: Adapter, name: str, matrix: Matrix) -> int:
    """What A and B make, and the matrix without its bias once more."""
    return lora.made(adapter, name, matrix) + matrix.outputs
