"""Phi-3's decoder (Abdin et al. 2024, arXiv:2404.14219): Llama's with queries, keys and values in one matrix, gate and up in one.

Models with rescaled positions (128k) are not described: their factors are a list for each frequency.
"""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.decoder import Decoder
from .parts.matrices import LLAMA
from .parts.settings import rotary_share

READS = (gated.READS | {"rotary_share", "sliding_window"}) - {"rope"}
MATRICES = LLAMA
FUSED_ATTENTION = True
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """The window is the same in every layer."""
    attention = gated.attention(architecture, joined=True, window=architecture.sliding_window)
    return gated.decoder(architecture, attention=attention, feed_forward=gated.feed_forward(architecture, joined=True))


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' Phi3Config."""
    return {
        **gated.config(architecture),
        "rope_parameters": rotary_share(architecture),
        "sliding_window": architecture.sliding_window,
    }
