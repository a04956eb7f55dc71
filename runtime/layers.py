"""Finds a transformers model's repeated layers."""

from __future__ import annotations

from typing import Any

import torch
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


class Elsewhere(nn.Module):
    """Stands for a part of the model that another rank holds, and hands on what it is given first."""

    def forward(self, given: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        """The input."""
        return given


class Nothing(nn.Module):
    """Stands for a part that another rank holds and has added already."""

    def forward(self, given: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        """Zero, which takes on any shape and dtype."""
        return torch.zeros((), device=given.device)


def own_layers(model: PreTrainedModel) -> dict[int, nn.Module]:
    """The layers that this rank holds, by their index in the model."""
    return {index: layer for index, layer in enumerate(decoder_layers(model)) if not isinstance(layer, Elsewhere)}
