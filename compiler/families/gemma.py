"""Gemma's decoder (Mesnard et al. 2024, arXiv:2403.08295): Llama's with a GELU gate and norms that scale in float32.

The embedding is multiplied by the square root of its width.
"""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.attention import head_dim
from .parts.decoder import Decoder
from .parts.matrices import LLAMA
from .parts.norms import FLOAT32_RMS_NORM

READS = (gated.READS | {"head_dim", "attention_bias"}) - {"activation"}
MATRICES = LLAMA
FUSED_ATTENTION = True
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """Biases, where asked for, are on all four matrices of the attention."""
    bias = architecture.attention_bias
    return gated.decoder(
        architecture,
        attention=gated.attention(architecture, input_bias=bias, output_bias=bias),
        feed_forward=gated.feed_forward(architecture, activation="gelu_tanh"),
        norm=FLOAT32_RMS_NORM,
    )


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' GemmaConfig."""
    # Releases say "gelu" and mean its approximation: transformers reads both as this.
    return {
        **gated.config(architecture),
        "head_dim": head_dim(architecture),
        "attention_bias": architecture.attention_bias,
        "hidden_act": "gelu_pytorch_tanh",
    }
