"""Qwen2's decoder (Yang et al. 2024, arXiv:2407.10671), also Qwen2.5's: Llama's with biases on queries, keys and values."""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.decoder import Decoder
from .parts.matrices import LLAMA

READS = gated.READS
MATRICES = LLAMA
FUSED_ATTENTION = True
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """The output matrix has no bias."""
    return gated.decoder(architecture, attention=gated.attention(architecture, input_bias=True))


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' Qwen2Config."""
    return gated.config(architecture)
