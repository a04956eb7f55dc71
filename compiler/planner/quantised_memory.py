"""What matrices in few bits take: their bytes, those gathered, and the one matrix that is whole while it multiplies."""

from __future__ import annotations

from .. import quantization
from ..spec import ModelSpec
from ..strategies import Elements, Layout, Moment, StrategyMemory
from ..units import format_count
from .share import Share
from .terms import NOTHING, Term, product

# The moments at which a layer's matrices multiply.
_IN_A_LAYER = (Moment.LAST_LAYER, Moment.FIRST_LAYER, Moment.FIRST_EXPERTS)
_BYTES = Elements(1, 1, 1)


def stored(share: Share, layout: Layout, strategy: StrategyMemory, moment: Moment) -> Term:
    """A rank's part; of a strategy that computes with copies they are the copies, for there are no masters."""
    stage = share.stage
    if strategy.computes_with_copies():
        return _described(_gathered(share, layout, strategy, moment).bytes, share)
    if strategy.in_host_memory(stage):
        return NOTHING
    return _described(-(-share.layers * quantization.layer_bytes(stage.model) // strategy.shards(stage.mesh)), share)


def gathered(share: Share, layout: Layout, strategy: StrategyMemory, compute: int, moment: Moment) -> Term:
    """Bytes of the layers that are in use, and the largest matrix."""
    model = share.stage.model
    if model.quantization == "none":
        return NOTHING
    together = NOTHING if strategy.computes_with_copies() else _gathered(share, layout, strategy, moment)
    whole = quantization.whole_bytes(model, compute) if moment in _IN_A_LAYER else 0
    return together + product(whole, "bytes of a matrix made whole, with its scales", 1)


def _gathered(share: Share, layout: Layout, strategy: StrategyMemory, moment: Moment) -> Term:
    found = strategy.gathered(share.stage, _in_bytes(layout, share.layers, share.stage.model), _BYTES, moment)
    return Term(found.bytes, f"{format_count(found.bytes)} bytes of layers in {share.stage.model.quantization}")


def _described(size: int, share: Share) -> Term:
    model = share.stage.model
    entries = format_count(share.layers * quantization.layer_parameters(model))
    scales = " with quantised scales" if quantization.double(model) else ""
    return Term(size, f"{format_count(size)} bytes of {entries} parameters in {model.quantization}{scales}")


def _in_bytes(layout: Layout, layers: int, model: ModelSpec) -> Layout:
    """A model that has nothing but the bytes of its layers."""
    each = quantization.layer_bytes(model)
    return Layout(
        layers=layers,
        leading=layout.leading,
        layer=each,
        first_layer=each,
        in_layers=layers * each,
        stored_layer=each,
        stored_first_layer=each,
        stored_in_layers=layers * each,
        rest=0,
        head=0,
        largest_matrix=0,
        tied=False,
    )
