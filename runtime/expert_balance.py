"""What keeps a router from sending all tokens to few experts: a loss for each sequence.

For experts e of E, k of which each of a sequence's T tokens visits: E / T x tokens that visit e x the mean probability of e, summed
over e and averaged over the layers, so k where the experts are balanced: as transformers weighs it (Fedus et al. 2021,
arXiv:2101.03961, eq. 4-6), but a sequence at a time as in DeepSeek-AI 2024, arXiv:2412.19437, eq. 17-20. A batch at a time, the
loss would depend on how ranks and micro-batches are arranged.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PretrainedConfig


def sequence_losses(routers: Sequence[torch.Tensor], config: PretrainedConfig, sequences: int) -> torch.Tensor:
    """A loss a sequence, from each layer's router logits (sequences x tokens, experts)."""
    return torch.stack([_of_layer(logits, config.num_experts_per_tok, sequences) for logits in routers]).mean(dim=0)


def _of_layer(logits: torch.Tensor, visited: int, sequences: int) -> torch.Tensor:
    probabilities = logits.float().softmax(dim=-1).unflatten(0, (sequences, -1))
    _, tokens, experts = probabilities.shape
    chosen = probabilities.topk(visited, dim=-1).indices.flatten(1)
    ones = torch.ones_like(chosen, dtype=torch.float)
    visits = torch.zeros(sequences, experts, device=logits.device).scatter_add_(1, chosen, ones)
    return experts / tokens * (visits * probabilities.mean(dim=1)).sum(dim=-1)
