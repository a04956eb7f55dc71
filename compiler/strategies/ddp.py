"""Distributed data parallel: every rank holds everything; gradients are views of the buckets that are averaged over the ranks.

Read from torch 2.13, torch/csrc/distributed/c10d/reducer.cpp with `gradient_as_bucket_view`: the buckets outlive a step, so that
gradients take their room all the time (Li et al. 2020, arXiv:2006.15704). A compute dtype other than the parameters' is autocast's.
"""

from __future__ import annotations

from ..planner.terms import NOTHING, Term, product
from ..spec import MeshSpec, StageSpec
from . import Elements, Layout, Moment


def shards(mesh: MeshSpec) -> int:
    """No two ranks share a copy."""
    return 1


def stream_bytes(elements: Elements) -> int:
    """Autocast casts what enters a matrix and leaves the sum of the layers in the parameters' dtype."""
    return elements.params


def gradients(stage: StageSpec, layout: Layout, elements: Elements, accumulates: bool, moment: Moment) -> Term:
    """The buckets, and the gradients that autograd has not yet copied into them."""
    buckets = product(layout.total, "gradients in buckets", elements.params)
    if moment is Moment.EMBEDDING:
        copies = 2 if layout.tied else 1
        return buckets + product(copies * layout.head, "gradients of the embedding", elements.params)
    if moment in (Moment.LAST_LAYER, Moment.FIRST_LAYER):
        # Under autocast a gradient is made in the compute dtype and cast.
        each = elements.params + (elements.compute if _casts(elements) else 0)
        fresh = buckets + product(layout.largest_matrix, "gradients of a matrix", each)
        return fresh + product(layout.head, "gradients of the tied head", elements.params) if layout.tied else fresh
    return buckets


def gathered(stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
    """Matrices that autocast has cast; the graph keeps them for the backward pass, with recomputation a layer at a time."""
    if not _casts(elements) or moment in (Moment.EMBEDDING, Moment.OPTIMIZER):
        return NOTHING
    in_use = 1 if stage.recompute == "full" or moment is Moment.FIRST_LAYER else layout.layers
    if moment is Moment.LOSS:
        in_use = 0 if stage.recompute == "full" else layout.layers
        head = product(layout.head, "parameters of the head, cast", elements.compute)
        return head + product(in_use * layout.layer, "parameters of layers, cast", elements.compute)
    return product(in_use * layout.layer, "parameters of layers, cast", elements.compute)


def _casts(elements: Elements) -> bool:
    return elements.compute != elements.params
