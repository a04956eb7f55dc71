"""Adafactor keeps of a matrix a moment for each row and each column (Shazeer & Stern 2018, arXiv:1804.04235, section 3).

A vector has one for each entry (torch/optim/_adafactor.py). Ranks that share a tensor cut its first dim: moments along it are cut
too, those of the columns are on every rank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..planner.share import Share
from ..planner.terms import Term, product
from ..spec import Optimizer


def states(settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
    """Moments of rows, columns and vectors."""
    shapes = [shape for shapes in share.shapes.values() for shape in shapes]
    cut, everywhere = (sum(counts) for counts in zip(*(_moments(shape) for shape in shapes), strict=True))
    rows = product(cut, "moments of rows and vectors", element, ranks)
    return rows + product(everywhere, "moments of columns", element)


def _moments(shape: Sequence[int]) -> tuple[int, int]:
    """Those that lie along the first dim, and the others."""
    match shape:
        case [rows, columns]:
            return rows, columns
        case [*stacked, rows, columns] if stacked:
            return math.prod(stacked) * (rows + columns), 0
    return math.prod(shape), 0
