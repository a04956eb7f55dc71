"""Muon keeps one momentum for each entry of the layers' matrices, and AdamW's two moments for everything else.

Read from torch 2.13, torch/optim/_muon.py; both in the parameters' dtype.
"""

from __future__ import annotations

import math

from ..planner.share import Share
from ..planner.terms import Term, product
from ..spec import Optimizer

# What the runtime gives Muon (runtime/parameter_groups.py); biases, norms of heads and adapters of rank 1 are vectors.
_HIDDEN = ("attention", "feed_forward")


def states(settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
    """Momenta of the matrices, moments of the rest."""
    matrices = sum(
        math.prod(shape) for part in _HIDDEN for shape in share.shapes.get(part, ()) if len(shape) == 2 and min(shape) > 1
    )
    momenta = product(matrices, "momenta of matrices", element, ranks)
    return momenta + product(2 * (share.trained - matrices), "moments of the rest", element, ranks)
