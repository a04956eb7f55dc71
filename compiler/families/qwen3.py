"""Qwen3's decoder (Yang et al. 2025, arXiv:2505.09388): Llama's with a norm over each query and key head."""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.attention import head_dim
from .parts.decoder import Decoder
from .parts.matrices import LLAMA
from .parts.norms import RMS_NORM

READS = gated.READS | {"head_dim", "attention_bias"}
MATRICES = LLAMA
FUSED_ATTENTION = True
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """Biases, where asked for, are on all four matrices of the attention."""
    bias = architecture.attention_bias
    attention = gated.attention(architecture, input_bias=bias, output_bias=bias, head_norm=RMS_NORM)
    return gated.decoder(architecture, attention=attention)


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' Qwen3Config."""
    return {
        **gated.config(architecture),
        "head_dim": head_dim(architecture),
        "attention_bias": architecture.attention_bias,
    }
