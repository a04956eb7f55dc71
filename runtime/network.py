"""A model spread over the ranks, as engines see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import torch
from torch import nn
from transformers import PreTrainedModel

# fp8 is what matrices multiply; everything around them is bf16.
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.bfloat16}


class Weights(Protocol):
    """How whole weights come into a spread model and out of it; every rank calls both."""

    def put(self, whole: dict[str, torch.Tensor]) -> None:
        """Gives every rank its part of what rank 0 holds."""

    def whole(self) -> dict[str, torch.Tensor]:
        """All of them, by transformers' names, in rank 0's host memory."""


@dataclass(frozen=True)
class Network:
    """`module` is what is called, `model` the transformers model inside it: its parameters have transformers' names.

    `exchange(last)` surrounds a micro-batch's forward and backward: gradients meet over the ranks in the last one only.
    Of a model that pp splits, `parts` are what is called instead, in the order of this rank's parts, and `copied` names the
    parameters that repeat another: they belong to no optimizer. `followers` are called after each step, with whether the weights
    changed.
    """

    module: nn.Module
    model: PreTrainedModel
    exchange: Callable[[bool], AbstractContextManager[None]]
    autocast: Callable[[], AbstractContextManager[None]]
    weights: Weights
    parts: tuple[nn.Module, ...] = ()
    copied: frozenset[str] = frozenset()
    followers: list[Callable[[bool], None]] = field(default_factory=list)

    def stepped(self, taken: bool) -> None:
        """Tells the followers that a step is over; every rank calls it."""
        for follow in self.followers:
            follow(taken)

    @cached_property
    def named_parameters(self) -> tuple[tuple[str, nn.Parameter], ...]:
        """What this rank's optimizer changes; found once, for a walk over all modules is a good part of a small model's step."""
        return tuple((name, entry) for name, entry in self.model.named_parameters() if name not in self.copied)

    @cached_property
    def parameters(self) -> tuple[nn.Parameter, ...]:
        """The same without their names."""
        return tuple(entry for _, entry in self.named_parameters)

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Evaluation mode without gradients, and training mode afterwards."""
        called = self.parts or (self.module,)
        for module in called:
            module.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            for module in called:
                module.train()


def materialise(model: PreTrainedModel, device: torch.device, shards_on: torch.device | None = None) -> None:
    """Gives a model on the meta device memory: buffers on `device` with their values, parameters on `shards_on` without any."""
    model.to_empty(device=shards_on or device)
    # A new tensor a module has undone the sharing of tied weights.
    model.tie_weights()
    give_buffers(model, device)


def give_buffers(model: PreTrainedModel, device: torch.device) -> None:
    """Puts a model's buffers on a device, with their values."""
    for module in model.modules():
        for name, buffer in module.named_buffers(recurse=False):
            setattr(module, name, buffer.to(device))
        # Rotary frequencies and the like are in no state dict: only the model knows how to make them.
        if module._non_persistent_buffers_set:
            model._init_weights(module)
