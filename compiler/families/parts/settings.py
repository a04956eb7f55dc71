"""What several of transformers' configuration classes call alike."""

from __future__ import annotations

from typing import Any

from ...spec import ArchitectureSpec, Llama3, Rope, Yarn

# What transformers chooses where it is left out.
_YARN = ("beta_fast", "beta_slow", "mscale", "mscale_all_dim")


def sizes(architecture: ArchitectureSpec) -> dict[str, Any]:
    """The sizes under their usual names."""
    return {
        "hidden_size": architecture.hidden,
        "intermediate_size": architecture.ffn,
        "num_hidden_layers": architecture.layers,
        "num_attention_heads": architecture.heads,
        "vocab_size": architecture.vocab,
        "max_position_embeddings": architecture.max_sequence,
        "tie_word_embeddings": architecture.tied_embeddings,
        "initializer_range": architecture.init_std,
    }


def activation_name(architecture: ArchitectureSpec, own: str) -> str:
    """The activation, or the family's own, as transformers calls it."""
    name = architecture.activation or own
    return {"gelu_tanh": "gelu_pytorch_tanh"}.get(name, name)


def rope_parameters(architecture: ArchitectureSpec) -> dict[str, Any]:
    """The rotary positions as `rope_parameters` of transformers 5."""
    return {"rope_theta": architecture.rope_theta, **_scaling(architecture.rope)}


def rotary_share(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Rotary positions of which only a leading part of each head knows."""
    return {**rope_parameters(architecture), "partial_rotary_factor": architecture.rotary_share}


def _scaling(rope: Rope) -> dict[str, Any]:
    match rope:
        case Llama3():
            return {
                "rope_type": "llama3",
                "factor": rope.factor,
                "low_freq_factor": rope.low_frequency,
                "high_freq_factor": rope.high_frequency,
                "original_max_position_embeddings": rope.original_sequence,
            }
        case Yarn():
            return {
                "rope_type": "yarn",
                "factor": rope.factor,
                "original_max_position_embeddings": rope.original_sequence,
                **{name: value for name in _YARN if (value := getattr(rope, name)) is not None},
            }
    return {"rope_type": "default"}
