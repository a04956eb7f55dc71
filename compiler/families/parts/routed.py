"""What families with experts share beside what they share with Llama."""

from __future__ import annotations

from typing import Any

from ...spec import ArchitectureSpec
from .experts import Experts

READS = frozenset({"experts", "experts_per_token", "router_aux_loss"})


def experts(architecture: ArchitectureSpec) -> Experts:
    """The experts of one layer."""
    return Experts(
        hidden=architecture.hidden,
        ffn=architecture.expert_ffn or architecture.ffn,
        count=architecture.experts,
        per_token=architecture.experts_per_token,
    )


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """What the configuration classes of these families call alike.

    The router's logits, from which the balance of experts is taken, are asked for only where that has a weight.
    """
    return {
        "num_experts_per_tok": architecture.experts_per_token,
        "router_aux_loss_coef": architecture.router_aux_loss,
        "output_router_logits": architecture.router_aux_loss > 0,
    }
