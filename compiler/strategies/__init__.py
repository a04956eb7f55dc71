"""Memory of the ways to spread a model over data-parallel ranks, one file a strategy. Its name is its module's."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, cast

from ..planner.terms import Term
from ..spec import MeshSpec, StageSpec


class Moment(Enum):
    """The points of an optimizer step at one of which memory peaks."""

    FORWARD = "the end of the forward pass"
    LOSS = "the loss"
    LAST_LAYER = "the backward pass of the last layer"
    FIRST_LAYER = "the backward pass of the first layer"
    # Behind leading dense layers, by when all others with experts have their gradients.
    FIRST_EXPERTS = "the backward pass of the first layer with experts"
    EMBEDDING = "the backward pass of the embedding"
    OPTIMIZER = "the optimizer's step"


@dataclass(frozen=True, slots=True)
class Layout:
    """A model's parameters as strategies see them: layers, and the rest (embedding, last norm, head).

    `stored` ones are what the ranks that share a copy hold together, the others what comes together on one of them: without the
    experts of its neighbours. `layer` is the last one; `in_layers` are all of them, of which the first `leading` are alike.
    """

    layers: int
    leading: int
    layer: int
    first_layer: int
    in_layers: int
    stored_layer: int
    stored_first_layer: int
    stored_in_layers: int
    rest: int
    head: int
    largest_matrix: int
    tied: bool

    @property
    def total(self) -> int:
        """All of them, put together on one rank."""
        return self.in_layers + self.rest

    @property
    def stored(self) -> int:
        """All of them that the ranks of a copy hold together."""
        return self.stored_in_layers + self.rest

    def layer_at(self, moment: Moment) -> int:
        """The layer whose backward pass runs, or ran last."""
        return self.first_layer if moment in (Moment.FIRST_LAYER, Moment.EMBEDDING) else self.layer


@dataclass(frozen=True, slots=True)
class Elements:
    """Bytes of an element: stored parameters, what is computed with, gradients on the wire."""

    params: int
    compute: int
    reduce: int


class StrategyMemory(Protocol):
    """What a strategy's module offers."""

    def shards(self, mesh: MeshSpec) -> int:
        """Ranks that share one copy of parameters and optimizer states."""

    def computes_with_copies(self) -> bool:
        """Whether what is computed with lies beside the stored parameters, which then are only those that train."""

    def in_host_memory(self, stage: StageSpec) -> bool:
        """Whether parameters and optimizer states stay off the device, where no copy of them computes."""

    def stream_bytes(self, elements: Elements) -> int:
        """Bytes of an element of the residual stream."""

    def gradients(self, stage: StageSpec, layout: Layout, elements: Elements, accumulates: bool, moment: Moment) -> Term:
        """Gradients that a rank holds, those on their way included."""

    def gathered(self, stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
        """Working copies of parameters that a rank holds beside its own."""


def strategy_memory(name: str) -> StrategyMemory:
    """The strategy of that name."""
    # A module offers the protocol's functions at its top level; the type checker cannot see that through a computed name.
    return cast(StrategyMemory, importlib.import_module(f".{name}", __name__))
