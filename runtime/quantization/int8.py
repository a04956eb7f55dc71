"""Rows of 8-bit integers with one scale each, as LLM.int8() stores weights (Dettmers et al. 2022, arXiv:2208.07339, section 2.1).

Only the weights are: what they multiply stays as it is, so that training equals training beside the dequantised matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ..planfile import RunQuantization
from .storage import Parts

LARGEST = 127


@dataclass(frozen=True, slots=True)
class Int8:
    """One byte an entry, and a float32 a row: its largest entry."""

    def sizes(self, shape: torch.Size) -> dict[str, int]:
        """Bytes of each part."""
        return {"packed": shape.numel(), "scales": 4 * shape[0]}

    def pack(self, weight: torch.Tensor) -> Parts:
        """Rounds to the nearest of 255 values a row."""
        scales = weight.abs().amax(dim=1).float()
        # A row of zeros stays one.
        factors = LARGEST / scales.clamp(min=torch.finfo(torch.float32).tiny)
        packed = (weight.float() * factors.unsqueeze(1)).round().to(torch.int8)
        return _bytes(packed, scales)

    def unpack(self, parts: Parts, shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
        """Multiplies in float32, without a copy in it."""
        factors = parts["scales"].view(torch.float32) / LARGEST
        matrix = torch.empty(shape, dtype=dtype, device=factors.device)
        return torch.mul(parts["packed"].view(torch.int8).view(shape), factors.unsqueeze(1), out=matrix)

    def packed_before(self, module: nn.Linear) -> Parts:
        """Those of bitsandbytes' own module."""
        weight: Any = module.weight
        return _bytes(weight.data, weight.SCB)


def storage(settings: RunQuantization) -> Int8:
    """torch alone does it."""
    return Int8()


def _bytes(packed: torch.Tensor, scales: torch.Tensor) -> Parts:
    return {"packed": packed.reshape(-1).view(torch.uint8), "scales": scales.float().reshape(-1).view(torch.uint8)}
