"""What a way to store a matrix in few bits offers; its name is its module's."""

from __future__ import annotations

import importlib
from typing import Protocol

import torch
from torch import nn

from ..errors import StageError
from ..planfile import RunQuantization

# Bytes by name: no cast of a module touches them, and every strategy spreads them as it spreads parameters.
Parts = dict[str, torch.Tensor]


class Storage(Protocol):
    """A way to store matrices; `shape` is (outputs, inputs)."""

    def sizes(self, shape: torch.Size) -> dict[str, int]:
        """Bytes of each part."""

    def pack(self, weight: torch.Tensor) -> Parts:
        """The parts of a matrix, each one-dimensional, on its device."""

    def unpack(self, parts: Parts, shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
        """The matrix that the parts stand for."""

    def packed_before(self, module: nn.Linear) -> Parts:
        """The parts of a matrix that bitsandbytes has read from prequantised weights."""


def storage(settings: RunQuantization) -> Storage:
    """The storage that a plan names."""
    module = importlib.import_module(f".{settings.name}", __package__)
    try:
        found: Storage = module.storage(settings)
    except ImportError as fault:
        raise StageError(
            f"quantization `{settings.name}` needs the package `bitsandbytes`: pip install -r requirements.txt"
        ) from fault
    return found
