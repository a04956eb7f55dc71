"""Memory a rank needs, term by term, at the moment of a step at which the sum is largest.

Tensors only: what the allocator loses to fragments, the device's context, communication libraries and workspaces come on top.
docs/planner.md derives each term and compares the sums with traces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .. import adapters, optimizers, quantization
from ..families import Family, family
from ..families.parts.stream import Stream
from ..plan import MemoryPlan
from ..spec import StageSpec
from ..strategies import Elements, Layout, Moment, strategy_memory
from ..units import format_count
from . import context_memory, quantised_memory
from .batch import BatchPlan
from .layers import first_layer, kinds, leading, with_architecture
from .recomputation import first_is_recomputed, is_recomputed, last_is_recomputed, recomputed_among
from .share import Share, computed, gathered, shares
from .terms import NOTHING, Term, product

# fp8 matrices read fp8 and keep bf16 around them.
BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 2}

# Cross-entropy in float32: the log-softmax that the forward pass kept, the gradient of the picked entries and that of the softmax
# (torch/nn/functional.py: cross_entropy; ATen's nll_loss_backward and _log_softmax_backward_data). The logits are gone by then.
_LOSS_BUFFERS = 3 * 4
# Over a cut vocabulary the same takes more operations: beside the log-softmax and the gradient of the picked entries there are its
# exponential and their sum (torch/distributed/tensor/parallel/loss.py: _nll_loss_and_log_softmax_backward).
_CUT_LOSS_BUFFERS = 4 * 4


def plan_memory(stage: StageSpec, batch: BatchPlan) -> MemoryPlan:
    """The terms at the peak of the rank that needs most."""
    return max((_plan_share(share, batch) for share in shares(stage, batch)), key=lambda plan: plan.peak_bytes)


def _plan_share(share: Share, batch: BatchPlan) -> MemoryPlan:
    # Beside an adapter the embedding gets no gradients.
    absent = ({Moment.EMBEDDING} if share.stage.adapter else set()) | (set() if share.dense else {Moment.FIRST_EXPERTS})
    moments = {moment: _terms(share, batch, moment) for moment in Moment if moment not in absent}
    peak = max(moments, key=lambda moment: sum(term.bytes for term in moments[moment].values()))
    terms = moments[peak]
    return MemoryPlan(
        terms={name: term.bytes for name, term in terms.items()},
        derivations={name: f"{term.words}, at {peak.value}" if term.bytes else term.words for name, term in terms.items()},
    )


def _terms(share: Share, batch: BatchPlan, moment: Moment) -> Mapping[str, Term]:
    stage, parameters, copied = share.stage, share.parameters, share.copied
    trained = share.trained
    elements = Elements(*(BYTES[entry] for entry in (stage.precision.params, stage.precision.compute, stage.precision.reduce)))
    layout = _layout(share)
    strategy = strategy_memory(stage.strategy.variant)
    ranks = strategy.shards(stage.mesh)
    stream = Stream(strategy.stream_bytes(elements), stage.mesh.tp if stage.mesh.sequence_parallel else 1)
    on_host = strategy.in_host_memory(stage)
    if on_host:
        # Shards and moments live in host memory; what is gathered and computed stays on the device.
        parameters = copied = trained = 0
    elif strategy.computes_with_copies():
        parameters = trained
    # A pipeline reduces gradients when all micro-batches are through.
    accumulates = batch.accumulation > 1 or stage.mesh.pp > 1
    in_few_bits = {"quantized parameters": quantised_memory.stored(share, layout, strategy, moment)}
    beside = quantised_memory.gathered(share, layout, strategy, elements.compute, moment)
    return {
        "parameters": product(parameters + copied, "parameters", elements.params, ranks),
        **(in_few_bits if stage.model.quantization != "none" else {}),
        "gradients": strategy.gradients(stage, _trained(share, layout), elements, accumulates, moment),
        "optimizer": NOTHING if on_host else optimizers.states(stage.optimizer, share, elements.params, ranks),
        "gathered parameters": strategy.gathered(stage, layout, elements, moment) + beside,
        "activations": _activations(share, batch, elements.compute, stream, moment),
        "logits": _logits(share, batch, elements.compute, moment),
    }


def _layout(share: Share) -> Layout:
    shape = share.stage.model.architecture
    model = family(shape.family)
    own, together = share.architecture, gathered(share.architecture, share.stage.mesh)
    # Matrices in few bits are counted apart.
    beside = share.adapters - quantization.layer_parameters(share.stage.model)
    stored = model.layers_parameters(own) + share.layers * beside
    return Layout(
        layers=share.layers,
        leading=share.dense,
        layer=model.layer_parameters(together) + beside,
        first_layer=model.layer_parameters(first_layer(together)) + beside,
        in_layers=model.layers_parameters(together) + share.layers * beside,
        stored_layer=model.layer_parameters(own) + beside,
        stored_first_layer=model.layer_parameters(first_layer(own)) + beside,
        stored_in_layers=stored,
        rest=share.parameters + share.copied - stored,
        head=shape.vocab * shape.hidden if share.head else 0,
        largest_matrix=model.largest_matrix(own),
        tied=shape.tied_embeddings and share.stage.mesh.pp == 1,
    )


def _trained(share: Share, layout: Layout) -> Layout:
    """What gradients are made of."""
    stage, each = share.stage, share.adapters
    if stage.adapter is None:
        return layout
    return replace(
        layout,
        **dict.fromkeys(("layer", "first_layer", "stored_layer", "stored_first_layer"), each),
        **dict.fromkeys(("in_layers", "stored_in_layers"), share.layers * each),
        rest=0,
        head=0,
        largest_matrix=adapters.largest(stage.adapter, stage.model.architecture),
        tied=False,
    )


def _activations(share: Share, batch: BatchPlan, compute: int, stream: Stream, moment: Moment) -> Term:
    """What the micro-batch at hand keeps and needs, what others keep meanwhile, and where those to come will arrive."""
    if share.stage.mesh.pp == 1:
        return _of_one(share.stage, batch, compute, stream, moment)
    stage, shape = share.stage, share.stage.model.architecture
    arrivals = batch.accumulation * share.edges
    total = _per_token(stage, batch, arrivals * stream.bytes(shape.hidden), "hidden states and gradients that arrive")
    if moment is Moment.OPTIMIZER:
        return total
    model = family(shape.family)
    kept = sum(layers * each for layers, each in _held(stage, compute, stream))
    total += _per_token(stage, batch, share.waiting * kept // shape.layers, "kept by waiting micro-batches")
    # Between the two halves of its backward pass a layer has the gradients of what its matrices made as well.
    late = share.delayed * model.matrix_bytes_per_token(shape, compute)
    return _of_one(stage, batch, compute, stream, moment) + total + _per_token(stage, batch, late, "kept for gradients of weights")


def _of_one(stage: StageSpec, batch: BatchPlan, compute: int, stream: Stream, moment: Moment) -> Term:
    """What the layers keep for the backward pass, and what the running one needs beside."""
    shape = stage.model.architecture
    if moment is Moment.OPTIMIZER:
        return NOTHING
    if moment is Moment.EMBEDDING:
        return _per_token(stage, batch, stream.element * shape.hidden, "gradient of the embeddings")
    model = family(shape.family)
    total = _waiting(stage, batch, moment, compute, stream)
    if moment in (Moment.FORWARD, Moment.LOSS):
        last = model.frozen_last_norm_bytes_per_token if stage.adapter else model.last_norm_bytes_per_token
        return total + _per_token(stage, batch, last(shape, compute, stream), "kept by the last norm")
    at_hand = _at(stage, moment)
    if _computes_again(stage, moment):
        again = stream.bytes(shape.hidden) + _saved(at_hand, compute, stream)
        total += _per_token(stage, batch, again, "computed again for one layer, and its input")
    return total + _per_token(
        stage, batch, model.backward_bytes_per_token(computed(at_hand), compute, stream), "gradients inside a layer"
    )


def _at(stage: StageSpec, moment: Moment) -> StageSpec:
    """The stage that ends with the layer whose backward pass runs."""
    return with_architecture(stage, first_layer(stage.model.architecture)) if moment is Moment.FIRST_LAYER else stage


def _saved(stage: StageSpec, compute: int, stream: Stream) -> int:
    """Bytes a token that a layer keeps without recomputation."""
    shape, own = computed(stage), stage.model.architecture
    model = family(shape.family)
    saved = _saved_by_matrices(stage, model, compute, stream)
    # Of what is gathered, a rank cuts out its slice for the last matrices.
    saved += model.last_input_bytes_per_token(own, compute) - model.last_input_bytes_per_token(shape, compute)
    if stage.model.attention == "eager":
        return saved + model.eager_bytes_per_token(shape, compute, stage.data.sequence)
    if stage.mesh.cp > 1:
        return saved + context_memory.saved_bytes_per_token(stage, compute)
    masks_documents = stage.data.packing and stage.model.attention == "sdpa"
    return saved + model.mask_bytes_per_token(shape, compute, stage.data.sequence, masks_documents)


def _saved_by_matrices(stage: StageSpec, model: Family, compute: int, stream: Stream) -> int:
    shape, adapter = computed(stage), stage.adapter
    if adapter is None:
        return model.saved_bytes_per_token(shape, compute, stream)
    beside = compute * adapters.saved(adapter, shape)
    return model.saved_bytes_per_token(shape, compute, stream, adapters.read(adapter, shape)) + beside


def _waiting(stage: StageSpec, batch: BatchPlan, moment: Moment, compute: int, stream: Stream) -> Term:
    """What layers hold for a backward pass that has not reached them, and the one at hand that keeps what it saved."""
    if moment is Moment.FIRST_LAYER:
        parts = [(0 if _computes_again(stage, moment) else 1, _saved(_at(stage, moment), compute, stream))]
    else:
        # The layer at hand, the last, has taken out what it kept, and holds what a layer without recomputation does.
        *before, (again, kept), (plain, saved) = _held(stage, compute, stream)
        at_hand = _computes_again(stage, moment)
        # At the first layer with experts, the others of them are through.
        alone = moment is Moment.FIRST_EXPERTS
        parts = [*before, (0, kept), (1 - at_hand, saved)] if alone else [*before, (again - at_hand, kept), (plain, saved)]
    return sum((_per_token(stage, batch, n * each, f"kept by {n} layer{'s' * (n != 1)}") for n, each in parts), NOTHING)


def _held(stage: StageSpec, compute: int, stream: Stream) -> list[tuple[int, int]]:
    """How many layers hold how many bytes a token: for each kind of layer those with recomputation, and those without."""
    held = []
    for kind in kinds(stage):
        again = recomputed_among(stage, kind.before, kind.count)
        held += [(again, _kept(kind.stage, compute, stream)), (kind.count - again, _saved(kind.stage, compute, stream))]
    return held


def _computes_again(stage: StageSpec, moment: Moment) -> bool:
    """Whether the layer whose backward pass runs computes its activations again."""
    if moment is Moment.FIRST_LAYER:
        return first_is_recomputed(stage)
    if moment is Moment.FIRST_EXPERTS:
        return is_recomputed(stage, leading(stage.model.architecture))
    return moment is Moment.LAST_LAYER and last_is_recomputed(stage)


def _kept(stage: StageSpec, compute: int, stream: Stream) -> int:
    """Bytes a token that a layer with recomputation keeps until the backward pass reaches it."""
    shape = stage.model.architecture
    model = family(shape.family)
    made = 0
    if stage.recompute == "selective":
        # The runtime knows torch's own fused attention; another package's is computed again.
        fused = model.attention_bytes_per_token(computed(stage), compute) if stage.model.attention == "sdpa" else 0
        own = compute * adapters.made(stage.adapter, shape) if stage.adapter else 0
        made = own + model.matrix_bytes_per_token(shape, compute) + fused + context_memory.exchanged_bytes_per_token(stage, compute)
    return stream.bytes(shape.hidden) + made


def _logits(share: Share, batch: BatchPlan, compute: int, moment: Moment) -> Term:
    stage, vocab = share.stage, share.stage.model.architecture.vocab
    if not share.head:
        return NOTHING
    waiting = _per_token(stage, batch, share.waiting_logits * 4 * vocab, "log-softmax of waiting micro-batches")
    return _logits_at_hand(stage, batch, compute, moment) + (NOTHING if moment is Moment.OPTIMIZER else waiting)


def _logits_at_hand(stage: StageSpec, batch: BatchPlan, compute: int, moment: Moment) -> Term:
    shape = stage.model.architecture
    copies = family(shape.family).logit_copies(shape)
    if moment is Moment.FORWARD:
        each, times = compute * copies, " x 2 copies" if copies > 1 else ""
        return _per_token(stage, batch, each * shape.vocab, f"{format_count(shape.vocab)} logits{times}")
    if moment is Moment.LOSS:
        # A bound on the logits keeps what it made of them.
        buffers = _LOSS_BUFFERS if stage.mesh.tp == 1 else _CUT_LOSS_BUFFERS
        each = buffers + compute * (copies - 1)
        bounded = ", and bounded" if copies > 1 else ""
        what = f"{format_count(shape.vocab)} logits x {buffers // 4} float32 buffers of the loss{bounded}"
        return _per_token(stage, batch, each * shape.vocab, what)
    return NOTHING


def _per_token(stage: StageSpec, batch: BatchPlan, bytes_each: int, what: str) -> Term:
    tokens = batch.micro * stage.data.sequence
    return Term(tokens * bytes_each, f"{batch.micro} x {stage.data.sequence} tokens x {format_count(bytes_each)} bytes ({what})")
