"""A model spread over the ranks, as the trainer sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import torch
from torch import nn
from torch.distributed.tensor import DTensor
from transformers import PreTrainedModel

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


@dataclass(frozen=True, slots=True)
class Network:
    """`module` is what is called, `model` the transformers model inside it.

    `exchange(last)` surrounds a micro-batch's forward and backward: gradients meet over the ranks in the last one only.
    """

    module: nn.Module
    model: PreTrainedModel
    exchange: Callable[[bool], AbstractContextManager[None]]
    autocast: Callable[[], AbstractContextManager[None]]

    def clip(self, limit: float | None) -> torch.Tensor:
        """Scales the gradients down to a total norm of `limit`; returns the norm they had over all ranks."""
        parameters = [entry for entry in self.module.parameters() if entry.grad is not None]
        norm = nn.utils.get_total_norm([entry.grad for entry in parameters])
        if isinstance(norm, DTensor):
            norm = norm.full_tensor()
        if limit is not None:
            nn.utils.clip_grads_with_norm_(parameters, limit, norm)
        return norm

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Evaluation mode without gradients, and training mode afterwards."""
        self.module.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            self.module.train()


def materialise(model: PreTrainedModel, device: torch.device) -> None:
    """Gives a model on the meta device memory on `device`: parameters without values, buffers with theirs."""
    model.to_empty(device=device)
    # A new tensor a module has undone the sharing of tied weights.
    model.tie_weights()
    for module in model.modules():
        # Rotary frequencies and the like are in no state dict: only the model knows how to make them.
        if module._non_persistent_buffers_set:
            model._init_weights(module)
