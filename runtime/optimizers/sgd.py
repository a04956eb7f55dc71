"""Stochastic gradient descent with momentum (Sutskever et al. 2013), torch's."""

from __future__ import annotations

import torch

from ..network import Network
from ..parameter_groups import groups
from ..planfile import RunOptimizer


def build(network: Network, settings: RunOptimizer) -> torch.optim.SGD:
    """Steps shards where they lie; weight decay is added to the gradient, as torch does it."""
    # torch's fused step has no rule for tensors that are spread over ranks (aten._fused_sgd_).
    return torch.optim.SGD(
        groups(network, settings), lr=settings.lr, momentum=settings.momentum or 0.0, nesterov=bool(settings.nesterov), foreach=True
    )
