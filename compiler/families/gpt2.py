"""GPT-2's decoder (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners").

Learned positions, layer norms, biases, one matrix for queries to values; no dropout: trainc trains without.
"""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.decoder import Decoder
from .parts.norms import LAYER_NORM
from .parts.settings import activation_name

READS = gated.READS - {"kv_heads", "rope_theta", "rope"}
MATRICES = {"qkv": "attn.c_attn", "o": "attn.c_proj", "up": "mlp.c_fc", "down": "mlp.c_proj"}
FUSED_ATTENTION = True
# transformers' GPT2Config has no `base_model_tp_plan`.
TENSOR_PARALLEL = False


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """All matrices have biases; one makes queries, keys and values."""
    feed_forward = gated.feed_forward(architecture, gated=False, bias=True, activation=architecture.activation or "gelu_new")
    attention = gated.attention(architecture, input_bias=True, output_bias=True, joined=True, rotary=False, double_softmax=False)
    return gated.decoder(
        architecture,
        attention=attention,
        feed_forward=feed_forward,
        norm=LAYER_NORM,
        positions=architecture.max_sequence,
        # Its matrices are transformers' Conv1D.
        transposed=True,
    )


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' GPT2Config."""
    return {
        "n_embd": architecture.hidden,
        # Releases leave the usual width out.
        "n_inner": None if architecture.ffn == 4 * architecture.hidden else architecture.ffn,
        "n_layer": architecture.layers,
        "n_head": architecture.heads,
        "vocab_size": architecture.vocab,
        "n_positions": architecture.max_sequence,
        "tie_word_embeddings": architecture.tied_embeddings,
        "layer_norm_epsilon": architecture.norm_epsilon,
        "initializer_range": architecture.init_std,
        "activation_function": activation_name(architecture, "gelu_new"),
        "attn_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "resid_pdrop": 0.0,
    }
