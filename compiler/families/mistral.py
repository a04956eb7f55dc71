"""Mistral's decoder (Jiang et al. 2023, arXiv:2310.06825): Llama's, whose attention may look back a window only."""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.attention import head_dim
from .parts.decoder import Decoder
from .parts.matrices import LLAMA

READS = gated.READS | {"head_dim", "sliding_window"}
MATRICES = LLAMA
FUSED_ATTENTION = True
TENSOR_PARALLEL = True


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """The window is the same in every layer."""
    return gated.decoder(architecture, attention=gated.attention(architecture, window=architecture.sliding_window))


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' MistralConfig."""
    return {
        **gated.config(architecture),
        "head_dim": head_dim(architecture),
        "sliding_window": architecture.sliding_window,
    }
