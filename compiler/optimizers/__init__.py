"""Memory of what optimizers keep between steps, one file an optimizer. Its name is its module's."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from ..planner.share import Share
from ..planner.terms import Term
from ..spec import Optimizer


class OptimizerMemory(Protocol):
    """What an optimizer's module offers."""

    def states(self, settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
        """What a rank keeps for its share, of which `ranks` hold a part each; an element of a parameter has `element` bytes."""


def states(settings: Optimizer, share: Share, element: int, ranks: int) -> Term:
    """The states of an optimizer."""
    # A module offers the protocol's function at its top level; the type checker cannot see that through a computed name.
    module = cast(OptimizerMemory, importlib.import_module(f".{settings.variant}", __name__))
    return module.states(settings, share, element, ranks)
