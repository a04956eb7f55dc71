"""Finds a transformers model's repeated layers."""

from __future__ import annotations

from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointWrapper
from transformers import PreTrainedModel

from .errors import StageError


def decoder_layers(model: PreTrainedModel) -> nn.ModuleList:
    """The list of the model's layers, whether or not they are wrapped for recomputation."""
    names = set(model._no_split_modules or ())
    for module in model.modules():
        if isinstance(module, nn.ModuleList) and any(_class_name(child) in names for child in module):
            return module
    raise StageError(f"{type(model).__name__} does not say which of its modules are layers, so it cannot be spread by layer")


def _class_name(module: nn.Module) -> str:
    if isinstance(module, CheckpointWrapper):
        return type(module._checkpoint_wrapped_module).__name__
    return type(module).__name__
