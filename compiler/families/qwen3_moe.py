"""Qwen3's decoder with experts (Yang et al. 2025, arXiv:2505.09388): Qwen3's attention, and experts in every layer."""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from . import qwen3
from .parts import gated, routed
from .parts.decoder import Decoder
from .parts.matrices import LLAMA
from .parts.norms import RMS_NORM

READS = qwen3.READS | routed.READS | {"expert_ffn"}
MATRICES = LLAMA
FUSED_ATTENTION = True
# transformers' plan cuts the experts' joined matrices, which the runtime does not yet.
TENSOR_PARALLEL = False


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """The probabilities of a token's experts are made to add up to one; no layer is dense."""
    bias = architecture.attention_bias
    attention = gated.attention(architecture, input_bias=bias, output_bias=bias, head_norm=RMS_NORM)
    return gated.decoder(architecture, attention=attention, feed_forward=routed.experts(architecture))


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' Qwen3MoeConfig."""
    return {
        **qwen3.config(architecture),
        **routed.config(architecture),
        "num_experts": architecture.experts,
        "moe_intermediate_size": architecture.expert_ffn or architecture.ffn,
        "norm_topk_prob": True,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
    }
