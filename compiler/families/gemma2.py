"""Gemma 2's decoder (Riviere et al. 2024, arXiv:2408.00118): Gemma's with norms behind each block and bounded scores and logits.

Every second layer, the first included, looks back a window only.
"""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.attention import head_dim
from .parts.decoder import Decoder
from .parts.matrices import LLAMA
from .parts.norms import FLOAT32_RMS_NORM

READS = (gated.READS | {"head_dim", "attention_bias", "sliding_window", "query_scale", "attention_softcap", "logit_softcap"}) - {
    "activation"
}
# Fused attention knows no bounds of scores, so transformers refuses it.
MATRICES = LLAMA
FUSED_ATTENTION = False
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """Two norms a layer feed matrices, two come behind them."""
    bias = architecture.attention_bias
    softcap = architecture.attention_softcap is not None
    return gated.decoder(
        architecture,
        attention=gated.attention(architecture, input_bias=bias, output_bias=bias, softcap=softcap),
        feed_forward=gated.feed_forward(architecture, activation="gelu_tanh"),
        norm=FLOAT32_RMS_NORM,
        norms=4,
        logit_softcap=architecture.logit_softcap is not None,
    )


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' Gemma2Config."""
    settings = gated.config(architecture)
    # The activation goes by another name here.
    del settings["hidden_act"]
    return {
        **settings,
        "head_dim": head_dim(architecture),
        "attention_bias": architecture.attention_bias,
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": architecture.query_scale or head_dim(architecture),
        # transformers masks every second layer, by all of the sequence where no window is given.
        "sliding_window": architecture.sliding_window or architecture.max_sequence,
        "attn_logit_softcapping": architecture.attention_softcap,
        "final_logit_softcapping": architecture.logit_softcap,
    }
