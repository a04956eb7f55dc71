"""Lion keeps one moment an entry, in the parameters' dtype (Chen et al. 2023, arXiv:2302.06675, algorithm 2)."""

from __future__ import annotations

from ..planner.share import Share
from ..planner.terms import Term, product
from ..spec import Optimizer


def states(settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
    """The moment."""
    return product(share.trained, "moments", element, ranks)
