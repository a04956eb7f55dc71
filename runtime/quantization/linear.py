"""A frozen matrix in few bits, made whole for each product and thrown away behind it."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear

from .storage import Parts, Storage


class QuantisedLinear(nn.Linear):
    """Takes the place of a `torch.nn.Linear`; its parts are frozen parameters of bytes.

    bitsandbytes' own modules keep scales outside of parameters and repack weights on some CPUs; here nothing but the parts is kept.
    PEFT reads `weight`: on the meta device, where it makes an adapter of the same dtype, it has the dtype of what is replaced, and
    `dtype` where it has values.
    """

    def __init__(self, replaced: nn.Linear, parts: Parts, storage: Storage, dtype: torch.dtype) -> None:
        nn.Module.__init__(self)
        self.in_features, self.out_features = replaced.in_features, replaced.out_features
        self.storage, self.dtype, self.names = storage, dtype, tuple(parts)
        self.dtype_before = replaced.weight.dtype
        self.bias = replaced.bias
        for name, part in parts.items():
            self.register_parameter(name, nn.Parameter(part, requires_grad=False))

    @property
    def shape(self) -> torch.Size:
        """(outputs, inputs)."""
        return torch.Size((self.out_features, self.in_features))

    @property
    def weight(self) -> torch.Tensor:  # type: ignore[override]
        """The whole matrix, made anew."""
        parts = {name: getattr(self, name) for name in self.names}
        if parts["packed"].is_meta:
            return torch.empty(self.shape, dtype=self.dtype_before, device="meta")
        return self.storage.unpack(parts, self.shape, self.dtype)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """The product, in the dtype of what is given, or in autocast's."""
        kind = given.device.type
        if torch.is_autocast_enabled(kind):
            given = given.to(torch.get_autocast_dtype(kind))
        parts = [getattr(self, name) for name in self.names]
        product: torch.Tensor = _Product.apply(given, self.bias, self.storage, self.shape, self.names, *parts)
        return product


class _Product(torch.autograd.Function):
    """x W' + b, of which only x has a gradient; only W's parts wait for it."""

    @staticmethod
    def forward(
        ctx: Any,
        given: torch.Tensor,
        bias: torch.Tensor | None,
        storage: Storage,
        shape: torch.Size,
        names: tuple[str, ...],
        *parts: torch.Tensor,
    ) -> torch.Tensor:
        ctx.save_for_backward(*parts)
        ctx.unpack = lambda parts, dtype: storage.unpack(dict(zip(names, parts, strict=True)), shape, dtype)
        return linear(given, ctx.unpack(parts, given.dtype), None if bias is None else bias.to(given.dtype))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
        parts = ctx.saved_tensors
        return gradient @ ctx.unpack(parts, gradient.dtype), *[None] * (4 + len(parts))
