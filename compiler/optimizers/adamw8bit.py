"""AdamW with moments of one byte, a float32 scale for each 256 of them, and a table of what the bytes mean for each tensor.

Read from torchao 0.18, torchao/optim/adam.py and subclass_8bit.py, after Dettmers et al. 2022 (arXiv:2110.02861). A part of a
tensor with less than 4096 entries, or no whole blocks, keeps moments in the parameters' dtype.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..planner.share import Share
from ..planner.terms import Term
from ..spec import Optimizer
from ..units import format_count

BLOCK = 256
_SMALLEST = 4096
_SCALE = 4
_TABLE = 256 * 4


def states(settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
    """Both moments, as torchao keeps those of each rank's part."""
    parts = [_part(shape, ranks) for shapes in share.shapes.values() for shape in shapes]
    packed = [entries for entries in parts if entries >= _SMALLEST and entries % BLOCK == 0]
    plain = sum(parts) - sum(packed)
    small = 2 * sum(packed) + 2 * sum(packed) // BLOCK * _SCALE + 2 * len(packed) * _TABLE
    words = f"2 moments x {format_count(sum(packed))} entries of a rank in 8 bits, with scales and tables"
    return Term(small, words) + Term(2 * plain * element, f"{format_count(2 * plain)} moments x {element} bytes")


def _part(shape: Sequence[int], ranks: int) -> int:
    """Entries of the largest part: ranks cut the first dim."""
    first, *others = shape
    return -(-first // ranks) * math.prod(others)
