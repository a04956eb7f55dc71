"""Distributed data parallel: every rank holds everything; gradients are views of the buckets that are averaged over the ranks.

Read from torch 2.13, torch/csrc/distributed/c10d/reducer.cpp with `gradient_as_bucket_view`: the buckets outlive a step, so that
gradients take their room all the time (Li et al. 2020, arXiv:2006.15704). A compute dtype other than the parameters' is autocast's.
"""

from __future__ import annotations

from ..planner.recomputation import last_is_recomputed, recomputed
from ..planner.terms import NOTHING, Term, product
from ..spec import MeshSpec, StageSpec
from . import Elements, Layout, Moment


def shards(mesh: MeshSpec) -> int:
    """No two ranks share a copy."""
    return 1


def computes_with_copies() -> bool:
    """Parameters are stored once, whether or not they train."""
    return False


def in_host_memory(stage: StageSpec) -> bool:
    """Everything is on the device."""
    return False


def stream_bytes(elements: Elements) -> int:
    """Autocast casts what enters a matrix and leaves the sum of the layers in the parameters' dtype."""
    return elements.params


def gradients(stage: StageSpec, layout: Layout, elements: Elements, accumulates: bool, moment: Moment) -> Term:
    """The buckets, and the gradients that autograd has not yet copied into them."""
    buckets = product(layout.total, "gradients in buckets", elements.params)
    if moment is Moment.OPTIMIZER:
        return buckets
    if accumulates:
        # The reducer rests until the last micro-batch (`no_sync`): until then sums stand beside the buckets.
        buckets += product(layout.total, "gradients that wait for the last micro-batch", elements.params)
    return buckets + _fresh(layout, elements, moment)


def gathered(stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
    """Matrices that autocast has cast: all until the forward pass ends, then those that the graph keeps."""
    if not _casts(elements) or moment in (Moment.EMBEDDING, Moment.OPTIMIZER):
        return NOTHING
    head = product(layout.head, "parameters of the head, cast", elements.compute)
    if moment is Moment.FORWARD:
        return head + product(layout.in_layers, "parameters of layers, cast", elements.compute)
    # A layer that computes again casts again.
    kept = layout.layers - recomputed(stage)
    if moment is Moment.LOSS:
        return head + product(kept * layout.layer, "parameters of layers, cast", elements.compute)
    in_use = 1 if moment is Moment.FIRST_LAYER else kept + last_is_recomputed(stage)
    return product(in_use * layout.layer, "parameters of layers, cast", elements.compute)


def _fresh(layout: Layout, elements: Elements, moment: Moment) -> Term:
    if moment is Moment.EMBEDDING:
        # A tied matrix gets one gradient as head and one as embedding, and their sum is a third.
        copies = 3 if layout.tied else 1
        return product(copies * layout.head, "gradients of the embedding", elements.params)
    if moment not in (Moment.LAST_LAYER, Moment.FIRST_LAYER, Moment.FIRST_EXPERTS):
        return NOTHING
    # Under autocast a gradient is made in the compute dtype and cast.
    each = elements.params + (elements.compute if _casts(elements) else 0)
    matrix = product(layout.largest_matrix, "gradients of a matrix", each)
    return matrix + product(layout.head, "gradients of the tied head", elements.params) if layout.tied else matrix


def _casts(elements: Elements) -> bool:
    return elements.compute != elements.params
