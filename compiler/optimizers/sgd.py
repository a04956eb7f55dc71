"""SGD keeps a momentum an entry, in the parameters' dtype, unless there is none (torch/optim/sgd.py)."""

from __future__ import annotations

from ..planner.share import Share
from ..planner.terms import NOTHING, Term, product
from ..spec import Optimizer


def states(settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
    """The momentum."""
    return product(share.trained, "momenta", element, ranks) if settings.momentum else NOTHING
