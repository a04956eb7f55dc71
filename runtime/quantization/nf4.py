"""NormalFloat in 4 bits (Dettmers et al. 2023, arXiv:2305.14314, section 3), by bitsandbytes' kernels."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ..errors import StageError
from ..planfile import RunQuantization
from .storage import Parts

# Entries that share a scale, and scales that share one when they are quantised too (section 3, "Double Quantization").
BLOCK, NESTED = 64, 256
HOST = torch.device("cpu")

# The values of 8-bit scales (Dettmers et al. 2021, arXiv:2110.02861) by device: no compiler can follow how they are made.
_TABLES: dict[torch.device, torch.Tensor] = {}


@dataclass(frozen=True, slots=True)
class Nf4:
    """Two entries a byte; scales in float32, or with `double` in 8 bits around their mean."""

    double: bool

    def sizes(self, shape: torch.Size) -> dict[str, int]:
        """Bytes of each part."""
        entries = shape.numel()
        blocks = -(-entries // BLOCK)
        if not self.double:
            return {"packed": -(-entries // 2), "scales": 4 * blocks}
        return {"packed": -(-entries // 2), "scales": blocks, "nested_scales": 4 * -(-blocks // NESTED), "mean_scale": 4}

    def pack(self, weight: torch.Tensor) -> Parts:
        """Quantises on the device where the matrix is."""
        from bitsandbytes.functional import quantize_4bit

        packed, state = quantize_4bit(weight, blocksize=BLOCK, compress_statistics=self.double, quant_type="nf4")
        return self._parts(packed, state)

    def unpack(self, parts: Parts, shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
        """Dequantises the scales, and with them the entries."""
        operations = torch.ops.bitsandbytes
        scales = parts["scales"]
        if self.double:
            nested, table = parts["nested_scales"].view(torch.float32), _table(scales.device)
            scales = operations.dequantize_blockwise(scales, nested, table, NESTED, torch.float32)
            scales = scales + parts["mean_scale"].view(torch.float32)
        matrix: torch.Tensor = operations.dequantize_4bit(parts["packed"], scales.view(torch.float32), BLOCK, "nf4", shape, dtype)
        return matrix

    def packed_before(self, module: nn.Linear) -> Parts:
        """Those of bitsandbytes' own module."""
        state: Any = module.weight.quant_state
        nested = state.state2.blocksize if state.nested else NESTED
        if (state.quant_type, state.blocksize, state.nested, nested) != ("nf4", BLOCK, self.double, NESTED):
            raise StageError(
                f"the weights are stored in {state.quant_type} with {state.blocksize} entries a scale, "
                f"quantised scales: {state.nested}; the plan was compiled for nf4 with {BLOCK}, quantised scales: {self.double}"
            )
        return self._parts(module.weight.data, state)

    def _parts(self, packed: torch.Tensor, state: Any) -> Parts:
        parts = {"packed": packed, "scales": state.absmax}
        if self.double:
            parts |= {"nested_scales": state.state2.absmax, "mean_scale": state.offset.float().reshape(1)}
        return {name: part.reshape(-1).view(torch.uint8) for name, part in parts.items()}


def storage(settings: RunQuantization) -> Nf4:
    """Loads bitsandbytes, which registers its operations."""
    # On some CPUs it warns of a kernel that it lacks; only its own modules would call it, and only in evaluation.
    logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)
    import bitsandbytes  # noqa: F401

    if not _TABLES:
        from bitsandbytes.functional import create_dynamic_map

        with HOST:
            _TABLES[HOST] = create_dynamic_map()
    return Nf4(double=bool(settings.double))


def _table(device: torch.device) -> torch.Tensor:
    if device not in _TABLES:
        _TABLES[device] = _TABLES[HOST].to(device)
    return _TABLES[device]
