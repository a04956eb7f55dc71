"""Llama's decoder (Touvron et al. 2023, arXiv:2302.13971) as transformers builds it.

RMS norms, rotary positions, grouped queries, a feed-forward block gated by SiLU; no biases unless asked for.
"""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.attention import head_dim
from .parts.decoder import Decoder
from .parts.matrices import LLAMA

READS = gated.READS | {"head_dim", "attention_bias"}
MATRICES = LLAMA
FUSED_ATTENTION = True
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """Biases are on all four matrices of the attention."""
    bias = architecture.attention_bias
    return gated.decoder(architecture, attention=gated.attention(architecture, input_bias=bias, output_bias=bias))


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' LlamaConfig."""
    return {
        **gated.config(architecture),
        "head_dim": head_dim(architecture),
        "attention_bias": architecture.attention_bias,
    }
