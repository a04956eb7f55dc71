"""ZeRO-3: everything in parts; a module's parameters are gathered while it computes (Rajbhandari et al. 2020, arXiv:1910.02054)."""

from __future__ import annotations

from ..planner.terms import NOTHING, Term, product
from ..planner.zero import SUMMED_BYTES, computes_with_copies, fresh, in_host_memory, shards, stream_bytes
from ..spec import StageSpec
from . import Elements, Layout, Moment

__all__ = ["computes_with_copies", "gathered", "gradients", "in_host_memory", "shards", "stream_bytes"]


def gradients(stage: StageSpec, layout: Layout, elements: Elements, accumulates: bool, moment: Moment) -> Term:
    """A buffer for a rank's part of the sums, there from the start; one bucket."""
    on_the_way = fresh(stage, layout, elements, 1, moment)
    if in_host_memory(stage):
        return on_the_way
    return product(layout.total, "gradients", SUMMED_BYTES, shards(stage.mesh)) + on_the_way


def gathered(stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
    """A rank's part of what is computed with, and what stays gathered: DeepSpeed frees nothing that fits `live_parameters`."""
    resting = product(layout.total, "parameters to compute with", elements.compute, shards(stage.mesh))
    own = resting if stage.strategy.offload_parameters == "none" else NOTHING
    if moment is Moment.OPTIMIZER:
        return own
    return own + product(min(stage.strategy.live_parameters, layout.total), "gathered parameters", elements.compute)
