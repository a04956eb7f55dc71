"""AdamW (Loshchilov & Hutter 2019, arXiv:1711.05101), torch's, in one kernel for all tensors of a mesh."""

from __future__ import annotations

import torch

from ..network import Network
from ..parameter_groups import betas, groups
from ..planfile import RunOptimizer


def build(network: Network, settings: RunOptimizer) -> torch.optim.AdamW:
    """Steps shards where they lie: no rank needs another's."""
    return torch.optim.AdamW(groups(network, settings), lr=settings.lr, betas=betas(settings), eps=settings.eps or 0.0, fused=True)
