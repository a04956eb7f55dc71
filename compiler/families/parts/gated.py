"""What Llama and its relatives share: norms by root mean square, rotary positions, grouped queries and a gate."""

from __future__ import annotations

from typing import Any

from ...spec import ArchitectureSpec
from .attention import Attention, head_dim, kv_heads
from .decoder import Decoder
from .feed_forward import FeedForward
from .norms import RMS_NORM
from .settings import activation_name, rope_parameters, sizes

READS = frozenset(
    {
        "activation",
        "family",
        "ffn",
        "heads",
        "hidden",
        "init_std",
        "kv_heads",
        "layers",
        "max_sequence",
        "norm_epsilon",
        "rope",
        "rope_theta",
        "tied_embeddings",
        "vocab",
    }
)


def decoder(architecture: ArchitectureSpec, **parts: Any) -> Decoder:
    """A decoder of these parts; `parts` are fields of Decoder that a family has otherwise."""
    usual = {"attention": attention(architecture), "feed_forward": feed_forward(architecture), "norm": RMS_NORM}
    return Decoder(
        layers=architecture.layers,
        hidden=architecture.hidden,
        vocab=architecture.vocab,
        tied=architecture.tied_embeddings,
        **{**usual, **parts},
    )


def attention(architecture: ArchitectureSpec, **changes: Any) -> Attention:
    """Grouped queries of rotary positions; `changes` are fields of Attention that a family has otherwise."""
    return Attention(
        hidden=architecture.hidden,
        heads=architecture.heads,
        kv_heads=kv_heads(architecture),
        head_dim=head_dim(architecture),
        **changes,
    )


def feed_forward(architecture: ArchitectureSpec, **changes: Any) -> FeedForward:
    """Gate, up and down without biases; `changes` are fields of FeedForward that a family has otherwise."""
    usual = {"activation": architecture.activation or "silu"}
    return FeedForward(hidden=architecture.hidden, ffn=architecture.ffn, **{**usual, **changes})


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """What the configuration classes of these families call alike."""
    return {
        **sizes(architecture),
        "num_key_value_heads": kv_heads(architecture),
        "rope_parameters": rope_parameters(architecture),
        "rms_norm_eps": architecture.norm_epsilon,
        "hidden_act": activation_name(architecture, "silu"),
    }
