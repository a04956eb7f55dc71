"""Mixtral's decoder (Jiang et al. 2024, arXiv:2401.04088): Mistral's with experts in place of the feed-forward block."""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from . import mistral
from .parts import gated, routed
from .parts.decoder import Decoder
from .parts.matrices import LLAMA

READS = mistral.READS | routed.READS
MATRICES = LLAMA
FUSED_ATTENTION = True
# transformers' plan cuts the experts' joined matrices, which the runtime does not yet.
TENSOR_PARALLEL = False


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """`ffn` is the width of an expert."""
    attention = gated.attention(architecture, window=architecture.sliding_window)
    return gated.decoder(architecture, attention=attention, feed_forward=routed.experts(architecture))


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' MixtralConfig."""
    return {
        **mistral.config(architecture),
        **routed.config(architecture),
        "num_local_experts": architecture.experts,
        "router_jitter_noise": 0.0,
    }
