"""ZeRO-1: parameters and gradients whole on every rank, masters and moments in parts (Rajbhandari et al., arXiv:1910.02054)."""

from __future__ import annotations

from ..planner.terms import Term, product
from ..planner.zero import SUMMED_BYTES, computes_with_copies, copied, finished, fresh, in_host_memory, shards, stream_bytes
from ..spec import StageSpec
from . import Elements, Layout, Moment

__all__ = ["computes_with_copies", "gathered", "gradients", "in_host_memory", "shards", "stream_bytes"]


def gradients(stage: StageSpec, layout: Layout, elements: Elements, accumulates: bool, moment: Moment) -> Term:
    """Whole sums, until the optimizer's step takes each rank's part of them."""
    if moment is Moment.OPTIMIZER:
        return copied(stage, layout)
    sums = product(finished(layout, accumulates, moment), "gradients", SUMMED_BYTES)
    return sums + fresh(stage, layout, elements, 1, moment)


def gathered(stage: StageSpec, layout: Layout, elements: Elements, moment: Moment) -> Term:
    """What every rank computes with, beside its part of the masters."""
    return product(layout.total, "parameters to compute with", elements.compute)
