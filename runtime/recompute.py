"""Trades compute for memory: activations are computed again in the backward pass instead of kept."""

from __future__ import annotations

from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from transformers import PreTrainedModel

from .layers import decoder_layers


def full(model: PreTrainedModel) -> None:
    """Keeps only each layer's input.

    Comes before the model is spread: a wrapper around a sharded layer would gather its weights outside the recomputation.
    """
    layers = decoder_layers(model)
    for index, layer in enumerate(layers):
        layers[index] = checkpoint_wrapper(layer)
