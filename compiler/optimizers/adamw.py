"""AdamW keeps two moments an entry, in the parameters' dtype; the fused step makes no copies (torch/optim/adamw.py)."""

from __future__ import annotations

from ..planner.share import Share
from ..planner.terms import Term, product
from ..spec import Optimizer


def states(settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
    """Both moments."""
    return product(2 * share.trained, "moments", element, ranks)
