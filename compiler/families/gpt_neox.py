"""GPT-NeoX's decoder (Black et al. 2022, arXiv:2204.06745), also Pythia's: layer norms, biases, one matrix for queries to values.

Positions turn the leading part of each head; attention and feed-forward block may read the same state.
"""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.decoder import Decoder
from .parts.norms import LAYER_NORM
from .parts.settings import activation_name, rotary_share, sizes

READS = (gated.READS | {"rotary_share", "parallel_residual"}) - {"kv_heads", "rope"}
MATRICES = {
    "qkv": "attention.query_key_value",
    "o": "attention.dense",
    "up": "mlp.dense_h_to_4h",
    "down": "mlp.dense_4h_to_h",
}
FUSED_ATTENTION = True
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """All matrices have biases."""
    feed_forward = gated.feed_forward(architecture, gated=False, bias=True, activation=architecture.activation or "gelu")
    return gated.decoder(
        architecture,
        attention=gated.attention(architecture, input_bias=True, output_bias=True, joined=True),
        feed_forward=feed_forward,
        norm=LAYER_NORM,
        parallel=architecture.parallel_residual,
    )


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' GPTNeoXConfig."""
    return {
        **sizes(architecture),
        "rope_parameters": rotary_share(architecture),
        "layer_norm_eps": architecture.norm_epsilon,
        "hidden_act": activation_name(architecture, "gelu"),
        "use_parallel_residual": architecture.parallel_residual,
        "attention_bias": True,
        "attention_dropout": 0.0,
        "hidden_dropout": 0.0,
    }
