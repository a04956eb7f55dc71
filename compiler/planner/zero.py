"""What the memory of DeepSpeed's three stages has in common.

Model states follow DeepSpeed 0.19.8's own estimators (estimate_zero2_model_states_mem_needs in runtime/zero/stage_1_and_2.py, and
estimate_zero3_model_states_mem_needs in stage3.py); buckets and what stays gathered, which those leave out, are read from the same
files.
"""

from __future__ import annotations

from ..spec import MeshSpec, StageSpec
from ..strategies import Elements, Layout, Moment
from .terms import NOTHING, Term, product

# DeepSpeed sums gradients in float32, as `data_types.grad_accum_dtype` of ds_config.json says.
SUMMED_BYTES = 4

_IN_BACKWARD = (Moment.LOSS, Moment.LAST_LAYER, Moment.FIRST_LAYER, Moment.FIRST_EXPERTS, Moment.EMBEDDING)


def shards(mesh: MeshSpec) -> int:
    """All ranks that see different samples share the states."""
    return mesh.data_parallel


def stream_bytes(elements: Elements) -> int:
    """The whole model is cast to what is computed with."""
    return elements.compute


def computes_with_copies() -> bool:
    """Masters in full precision are the optimizer's."""
    return True


def in_host_memory(stage: StageSpec) -> bool:
    """Whether the optimizer's part, and the gradients that wait for it, are offloaded."""
    return bool(stage.strategy.offload_optimizer != "none")


def fresh(stage: StageSpec, layout: Layout, elements: Elements, buffers: int, moment: Moment) -> Term:
    """Gradients that autograd has just made, and the buffers from which they are reduced, which a backward pass takes whole."""
    if moment not in _IN_BACKWARD:
        return NOTHING
    each = stage.strategy.bucket // elements.reduce
    made = layout.rest if moment is Moment.EMBEDDING else layout.layer_at(moment)
    return product(buffers * each, "elements of buckets", elements.compute) + product(made, "fresh gradients", elements.compute)


def finished(layout: Layout, accumulates: bool, moment: Moment) -> int:
    """Parameters whose gradients exist."""
    if accumulates or moment in (Moment.EMBEDDING, Moment.OPTIMIZER):
        return layout.total
    behind = layout.leading * layout.first_layer + layout.layer
    done = {Moment.FIRST_LAYER: layout.total - layout.first_layer, Moment.FIRST_EXPERTS: layout.total - behind}
    return {Moment.LAST_LAYER: layout.head, **done}.get(moment, 0)


def copied(stage: StageSpec, layout: Layout) -> Term:
    """The gradients of a rank's part, flattened once more for the optimizer."""
    return product(layout.total, "gradients in one piece for the optimizer", SUMMED_BYTES, shards(stage.mesh))
