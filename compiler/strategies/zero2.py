"""ZeRO-2: parameters whole on every rank; gradients, masters and moments in parts (Rajbhandari et al. 2020, arXiv:1910.02054)."""

from __future__ import annotations

from ..planner.terms import NOTHING, Term, product
from ..planner.zero import SUMMED_BYTES, computes_with_copies, copied, finished, fresh, in_host_memory, shards, stream_bytes
from ..spec import StageSpec
from . import Elements, Layout, Moment

__all__ = ["computes_with_copies", "gathered", "gradients", "in_host_memory", "shards", "stream_bytes"]


def gradients(stage: StageSpec, layout: Layout, elements: Elements, accumulates: bool, moment: Moment) -> Term:
    """A rank's part of the sums; two buckets, of which one fills while the other travels."""
    on_the_way = fresh(stage, layout, elements, 2, moment)
    if in_host_memory(stage):
        return on_the_way
    sums = product(finished(layout, accumulates, moment), "gradients", SUMMED_BYTES, shards(stage.mesh))
    return sums + on_the_way + (copied(stage, layout) if moment is Moment.OPTIMIZER else NOTHING)


def gathered(stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
    """What every rank computes with, beside its part of the masters."""
    return product(layout.total, "parameters to compute with", elements.compute)
