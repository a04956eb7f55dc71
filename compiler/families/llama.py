"""Llama's decoder (Touvron et al. 2023, arXiv:2302.13971) as transformers builds it.

RMS norms, rotary positions, grouped queries, a feed-forward block gated by SiLU, no biases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..spec import ArchitectureSpec

# Norms and the softmax statistics of attention are computed in float32 whatever the compute dtype is.
_FLOAT32 = 4


def head_dim(architecture: ArchitectureSpec) -> int:
    """The width of a head, derived where it is left out."""
    return architecture.head_dim or architecture.hidden // architecture.heads


def query_width(architecture: ArchitectureSpec) -> int:
    """All query heads side by side."""
    return architecture.heads * head_dim(architecture)


def kv_width(architecture: ArchitectureSpec) -> int:
    """All key heads side by side; the value heads are as wide."""
    return (architecture.kv_heads or architecture.heads) * head_dim(architecture)


def parameters(architecture: ArchitectureSpec) -> Mapping[str, int]:
    """Parameters by part; a tied output matrix is the embedding and counts there."""
    matrix = architecture.vocab * architecture.hidden
    return {
        "embedding": matrix,
        "attention": architecture.layers * _attention_parameters(architecture),
        "feed_forward": architecture.layers * _feed_forward_parameters(architecture),
        # Two norms a layer and the last one.
        "norms": (2 * architecture.layers + 1) * architecture.hidden,
        "head": 0 if architecture.tied_embeddings else matrix,
    }


def layer_parameters(architecture: ArchitectureSpec) -> int:
    """Parameters of one decoder layer."""
    return _attention_parameters(architecture) + _feed_forward_parameters(architecture) + 2 * architecture.hidden


def saved_bytes_per_token(architecture: ArchitectureSpec, compute_bytes: int, stream_bytes: int) -> int:
    """Bytes a token that one decoder layer keeps for its backward pass, in eager autograd with fused attention.

    `stream_bytes` is an element of the residual stream: the compute dtype's where parameters are cast to it, 4 under autocast.
    """
    hidden, ffn = architecture.hidden, architecture.ffn
    # A norm keeps its input in float32, the normalised input in the stream's dtype, and 1 / rms.
    norms = 2 * (_FLOAT32 * hidden + stream_bytes * hidden + _FLOAT32)
    # Its output is kept once by the matrices that read it; autocast makes a copy for each: query, key, value; gate, up.
    inputs = (2 if stream_bytes == compute_bytes else 5) * compute_bytes * hidden
    # Fused attention keeps queries, keys, values, its output (which the output matrix reads) and the log-sum-exp of each
    # head, not the scores (Dao et al. 2022, arXiv:2205.14135). The rotation keeps cosines and sines, which all layers share.
    attention = compute_bytes * (2 * query_width(architecture) + 2 * kv_width(architecture)) + _FLOAT32 * architecture.heads
    # Gate, up, SiLU(gate) and their product.
    return norms + inputs + attention + 4 * compute_bytes * ffn


def matrix_bytes_per_token(architecture: ArchitectureSpec, compute_bytes: int) -> int:
    """Bytes a token of what one layer's seven matrices make: queries, keys, values, output; gate, up, down."""
    widths = query_width(architecture) + 2 * kv_width(architecture) + 2 * architecture.hidden + 2 * architecture.ffn
    return compute_bytes * widths


def attention_bytes_per_token(architecture: ArchitectureSpec, compute_bytes: int) -> int:
    """Bytes a token of what fused attention makes: its output, and the log-sum-exp of each head."""
    return compute_bytes * query_width(architecture) + _FLOAT32 * architecture.heads


def eager_bytes_per_token(architecture: ArchitectureSpec, compute_bytes: int, sequence: int) -> int:
    """Bytes a token that one layer keeps beside, where attention is not fused.

    The softmax in float32 and its copy in a smaller compute dtype, for each head and position; keys and values repeated for
    their queries; no log-sum-exp.
    """
    scores = architecture.heads * sequence * (_FLOAT32 + (compute_bytes if compute_bytes < _FLOAT32 else 0))
    return scores + 2 * compute_bytes * (query_width(architecture) - kv_width(architecture)) - _FLOAT32 * architecture.heads


def backward_bytes_per_token(architecture: ArchitectureSpec, compute_bytes: int, stream_bytes: int) -> int:
    """Bytes a token that a layer's backward pass needs at most beside what the layer kept: gradients inside the feed-forward block.

    Those of gate, up and their product stand together when the product itself is gone; beside them the gradient of the stream.
    """
    return 2 * compute_bytes * architecture.ffn + (compute_bytes + stream_bytes) * architecture.hidden


def flops_per_token(architecture: ArchitectureSpec, sequence: int) -> int:
    """Operations a token, forward and backward, without recomputation and without credit for the causal mask.

    Six for each entry of a matrix (the embedding is a lookup), twelve for each query entry and position
    (Chowdhery et al. 2022, arXiv:2204.02311, appendix B).
    """
    per_layer = _attention_parameters(architecture) + _feed_forward_parameters(architecture)
    matrices = architecture.layers * per_layer + architecture.vocab * architecture.hidden
    return 6 * matrices + 12 * architecture.layers * query_width(architecture) * sequence


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' LlamaConfig."""
    return {
        "hidden_size": architecture.hidden,
        "intermediate_size": architecture.ffn,
        "num_hidden_layers": architecture.layers,
        "num_attention_heads": architecture.heads,
        "num_key_value_heads": architecture.kv_heads or architecture.heads,
        "head_dim": head_dim(architecture),
        "vocab_size": architecture.vocab,
        "max_position_embeddings": architecture.max_sequence,
        "tie_word_embeddings": architecture.tied_embeddings,
        "rope_parameters": {"rope_type": "default", "rope_theta": architecture.rope_theta},
        "rms_norm_eps": architecture.norm_epsilon,
        "initializer_range": architecture.init_std,
    }


def _attention_parameters(architecture: ArchitectureSpec) -> int:
    """Queries and output, keys and values; no biases."""
    return architecture.hidden * (2 * query_width(architecture) + 2 * kv_width(architecture))


def _feed_forward_parameters(architecture: ArchitectureSpec) -> int:
    """Gate, up and down; no biases."""
    return 3 * architecture.hidden * architecture.ffn
