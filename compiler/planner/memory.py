"""Memory a rank needs, term by term, at the moment of a step at which the sum is largest.

Tensors only: what the allocator loses to fragments, the device's context, communication libraries and workspaces come on top.
docs/planner.md derives each term and compares the sums with traces.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..families import Family, family
from ..plan import MemoryPlan
from ..spec import StageSpec
from ..strategies import Elements, Layout, Moment, strategy_memory
from ..units import format_count
from .batch import BatchPlan
from .share import of_one_rank
from .terms import NOTHING, Term, product

# fp8 matrices read fp8 and keep bf16 around them.
BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 2}

# Cross-entropy in float32: the log-softmax that the forward pass kept, the gradient of the picked entries and that of the softmax
# (torch/nn/functional.py: cross_entropy; ATen's nll_loss_backward and _log_softmax_backward_data). The logits are gone by then.
_LOSS_BUFFERS = 3 * 4


def plan_memory(stage: StageSpec, batch: BatchPlan) -> MemoryPlan:
    """The terms at the peak."""
    stage = of_one_rank(stage)
    shape = stage.model.architecture
    parameters = sum(family(shape.family).parameters(shape).values())
    moments = {moment: _terms(stage, batch, parameters, moment) for moment in Moment}
    peak = max(moments, key=lambda moment: sum(term.bytes for term in moments[moment].values()))
    terms = moments[peak]
    return MemoryPlan(
        terms={name: term.bytes for name, term in terms.items()},
        derivations={name: f"{term.words}, at {peak.value}" if term.bytes else term.words for name, term in terms.items()},
    )


def _terms(stage: StageSpec, batch: BatchPlan, parameters: int, moment: Moment) -> Mapping[str, Term]:
    elements = Elements(*(BYTES[entry] for entry in (stage.precision.params, stage.precision.compute, stage.precision.reduce)))
    layout = _layout(stage, parameters)
    strategy = strategy_memory(stage.strategy.variant)
    ranks = strategy.shards(stage.mesh)
    if strategy.in_host_memory(stage):
        parameters = 0
    return {
        "parameters": product(parameters, "parameters", elements.params, ranks),
        "gradients": strategy.gradients(stage, layout, elements, batch.accumulation > 1, moment),
        # Adam's two moments, in the parameters' dtype; the fused step makes no copies.
        "optimizer": product(2 * parameters, "moments", elements.params, ranks),
        "gathered parameters": strategy.gathered(stage, layout, elements, moment),
        "activations": _activations(stage, batch, elements.compute, strategy.stream_bytes(elements), moment),
        "logits": _logits(stage, batch, elements.compute, moment),
    }


def _layout(stage: StageSpec, parameters: int) -> Layout:
    shape = stage.model.architecture
    model = family(shape.family)
    layer = model.layer_parameters(shape)
    return Layout(
        layers=shape.layers,
        layer=layer,
        rest=parameters - shape.layers * layer,
        head=shape.vocab * shape.hidden,
        largest_matrix=model.largest_matrix(shape),
        tied=shape.tied_embeddings,
    )


def _activations(stage: StageSpec, batch: BatchPlan, compute: int, stream: int, moment: Moment) -> Term:
    """What the layers keep for the backward pass, and what the running one needs beside."""
    shape = stage.model.architecture
    if moment is Moment.OPTIMIZER:
        return NOTHING
    if moment is Moment.EMBEDDING:
        return _per_token(stage, batch, stream * shape.hidden, "gradient of the embeddings")
    model = family(shape.family)
    saved = model.saved_bytes_per_token(shape, compute, stream)
    if stage.model.attention == "eager":
        saved += model.eager_bytes_per_token(shape, compute, stage.data.sequence)
    else:
        saved += model.window_bytes_per_token(shape, compute, stage.data.sequence)
    layers = 1 if moment is Moment.FIRST_LAYER else shape.layers
    kept = _kept(stage, model, compute, stream, saved)
    if stage.recompute != "none" and moment not in (Moment.FORWARD, Moment.LOSS):
        # The layer at hand has taken out what it kept, and holds what a layer without recomputation does.
        layers -= 1
    total = _per_token(stage, batch, layers * kept, f"kept by {layers} layer{'s' * (layers != 1)}")
    if moment in (Moment.FORWARD, Moment.LOSS):
        return total + _per_token(stage, batch, model.last_norm_bytes_per_token(shape, compute, stream), "kept by the last norm")
    if stage.recompute != "none":
        total += _per_token(stage, batch, stream * shape.hidden + saved, "computed again for one layer, and its input")
    return total + _per_token(stage, batch, model.backward_bytes_per_token(shape, compute, stream), "gradients inside a layer")


def _kept(stage: StageSpec, model: Family, compute: int, stream: int, saved: int) -> int:
    """Bytes a token that a layer keeps until the backward pass reaches it."""
    shape = stage.model.architecture
    if stage.recompute == "none":
        return saved
    made = 0
    if stage.recompute == "selective":
        fused = 0 if stage.model.attention == "eager" else model.attention_bytes_per_token(shape, compute)
        made = model.matrix_bytes_per_token(shape, compute) + fused
    return stream * shape.hidden + made


def _logits(stage: StageSpec, batch: BatchPlan, compute: int, moment: Moment) -> Term:
    shape = stage.model.architecture
    copies = family(shape.family).logit_copies(shape)
    if moment is Moment.FORWARD:
        each, times = compute * copies, " x 2 copies" if copies > 1 else ""
        return _per_token(stage, batch, each * shape.vocab, f"{format_count(shape.vocab)} logits{times}")
    if moment is Moment.LOSS:
        # A bound on the logits keeps what it made of them.
        each = _LOSS_BUFFERS + compute * (copies - 1)
        what = f"{format_count(shape.vocab)} logits x 3 float32 buffers of the loss" + (", and bounded" if copies > 1 else "")
        return _per_token(stage, batch, each * shape.vocab, what)
    return NOTHING


def _per_token(stage: StageSpec, batch: BatchPlan, bytes_each: int, what: str) -> Term:
    tokens = batch.micro * stage.data.sequence
    return Term(tokens * bytes_each, f"{batch.micro} x {stage.data.sequence} tokens x {format_count(bytes_each)} bytes ({what})")
