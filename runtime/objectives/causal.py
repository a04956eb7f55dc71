"""Next-token cross-entropy."""

from __future__ import annotations

import torch
from torch.distributed.tensor import DTensor
from torch.nn.functional import cross_entropy

from ..data import IGNORED, Batch
from ..network import Network
from .balance import sequence_losses


def loss(network: Network, batch: Batch) -> torch.Tensor:
    """The sum over the batch's targets, in fp32; the batch's targets are already shifted by one.

    While a model with experts trains, each target also weighs the loss that balances its sequence's experts.
    """
    weight = getattr(network.model.config, "router_aux_loss_coef", 0.0) if network.module.training else 0.0
    extra = {"output_router_logits": True} if weight else {}
    with network.autocast():
        output = network.module(input_ids=batch.inputs, use_cache=False, **batch.hints, **extra)
    total = summed(output.logits, batch.targets)
    if not weight:
        return total
    balance = sequence_losses(output.router_logits, network.model.config, sequences=len(batch.inputs))
    return total + weight * (balance * (batch.targets != IGNORED).sum(dim=1)).sum()


def summed(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The loss of logits (batch, sequence, vocabulary); those of tensor parallelism are cut along the vocabulary."""
    total = cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum")
    return total.full_tensor() if isinstance(total, DTensor) else total
