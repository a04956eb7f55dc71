"""FSDP2: each decoder layer is a unit that is gathered to compute with and freed again; the rest of the model is the root unit.

Read from torch 2.13, torch/distributed/fsdp/_fully_shard: _fsdp_param_group.py (unshard, pre_backward, post_backward) and
_fsdp_collectives.py (foreach_all_gather, foreach_reduce). The idea is ZeRO-3's (Rajbhandari et al. 2020, arXiv:1910.02054).
"""

from __future__ import annotations

from ..planner.terms import NOTHING, Term, product
from ..spec import MeshSpec, StageSpec
from . import Elements, Layout, Moment


def shards(mesh: MeshSpec) -> int:
    """Copies are split over dp_shard and over ranks that share a sequence; dp_replicate repeats them."""
    return mesh.dp_shard * mesh.cp


def computes_with_copies() -> bool:
    """Parameters are stored once, whether or not they train."""
    return False


def in_host_memory(stage: StageSpec) -> bool:
    """With `offload`, shards and moments live in host memory; what is gathered and computed stays on the device."""
    return bool(stage.strategy.offload)


def stream_bytes(elements: Elements) -> int:
    """The units compute in their working copies' dtype, and so does what flows between them."""
    return elements.compute


def gradients(stage: StageSpec, layout: Layout, elements: Elements, accumulates: bool, moment: Moment) -> Term:
    """Shards of what is reduced, whole gradients of what is not."""
    if moment is Moment.OPTIMIZER:
        return product(layout.stored, "gradients", elements.params, shards(stage.mesh))
    if accumulates and not stage.strategy.sync_each_batch:
        # Without communication between micro-batches every rank sums whole gradients, in the dtype of the reduction.
        waiting = product(layout.total, "gradients that wait, unsharded, for the last micro-batch", elements.reduce)
        return waiting + _fresh(layout, elements, moment)
    fresh = _in_reduction(layout, elements, moment)
    if accumulates:
        return product(layout.stored, "gradients of earlier micro-batches", elements.params, shards(stage.mesh)) + fresh
    return product(_finished(layout, moment), "gradients of finished layers", elements.params, shards(stage.mesh)) + fresh


def gathered(stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
    """The root unit from the forward pass on, and the layers that are in use."""
    if stage.mesh.pp > 1 and moment is not Moment.OPTIMIZER:
        # A pipeline frees nothing between the backward passes of its micro-batches (torch/distributed/pipelining/stage.py:
        # backward_maybe_with_nosync).
        return product(layout.total, "parameters", elements.compute)
    # At the embedding what is gathered depends on the reduction: `gradients` counts both.
    if moment in (Moment.OPTIMIZER, Moment.EMBEDDING):
        return NOTHING
    root = product(layout.rest, "parameters outside the layers", elements.compute)
    whole = product(_gathered_of_layers(stage, layout, moment), "parameters of layers", elements.compute)
    return root + whole + _kept_over_a_group(stage, layout, elements, moment)


def _finished(layout: Layout, moment: Moment) -> int:
    """Parameters of layers whose backward passes are through."""
    match moment:
        case Moment.FIRST_LAYER:
            return layout.stored_in_layers - layout.stored_first_layer
        case Moment.FIRST_EXPERTS:
            return layout.stored_in_layers - layout.leading * layout.stored_first_layer - layout.stored_layer
        case Moment.EMBEDDING:
            return layout.stored_in_layers
    return 0


def _fresh(layout: Layout, elements: Elements, moment: Moment) -> Term:
    """Gradients of the unit that autograd works on."""
    if moment in (Moment.FORWARD, Moment.LOSS):
        return NOTHING
    if moment is Moment.EMBEDDING:
        rest = product(layout.rest, "gradients outside the layers", elements.compute)
        # A tied matrix gets one gradient as head and one as embedding, and their sum is a third.
        return rest + product(2 * layout.head, "gradients of the tied head", elements.compute) if layout.tied else rest
    return product(layout.layer_at(moment), "gradients of a layer", elements.compute)


def _in_reduction(layout: Layout, elements: Elements, moment: Moment) -> Term:
    """Fresh gradients and the flat copies that are reduced."""
    fresh = _fresh(layout, elements, moment)
    if moment in (Moment.FORWARD, Moment.LOSS):
        return NOTHING
    if moment is Moment.EMBEDDING:
        # The working copies are freed before the flat copy is made: the larger of before and after counts.
        before = fresh + product(layout.rest, "parameters outside the layers", elements.compute)
        before += product(layout.layer_at(moment), "gradients of a layer in reduction", elements.reduce)
        after = product(
            layout.rest, "gradients outside the layers, and their copy in reduction", elements.compute + elements.reduce
        )
        return max(before, after, key=lambda term: term.bytes)
    # The copy of the layer before is kept until this layer's is made; the head's gradients wait for the root's reduction.
    layer = fresh + product(layout.layer_at(moment), "gradients of a layer in reduction", elements.reduce)
    return layer + product(layout.head, "gradients of the head", elements.compute)


def _gathered_of_layers(stage: StageSpec, layout: Layout, moment: Moment) -> int:
    if moment is Moment.FIRST_LAYER:
        return layout.first_layer
    if moment is Moment.FIRST_EXPERTS:
        ahead = min(stage.strategy.prefetch, layout.leading) if stage.strategy.reshard_after_forward else layout.leading
        return layout.layer + ahead * layout.first_layer
    if not stage.strategy.reshard_after_forward:
        return layout.in_layers
    # In the backward pass the next layers are gathered while one computes.
    return min((1 + stage.strategy.prefetch) * layout.layer, layout.in_layers) if moment is Moment.LAST_LAYER else 0


def _kept_over_a_group(stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
    """What `reshard_group` keeps between the forward and the backward pass of a layer."""
    group = stage.strategy.reshard_group
    if group is None or moment is Moment.FIRST_LAYER:
        return NOTHING
    return product(layout.in_layers, "parameters of layers over a group", elements.compute, group)
