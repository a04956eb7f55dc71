"""Next-token cross-entropy."""

from __future__ import annotations

import torch
from torch.distributed.tensor import DTensor
from torch.nn.functional import cross_entropy

from ..data import IGNORED, Batch
from ..network import Network


def loss(network: Network, batch: Batch) -> torch.Tensor:
    """The sum over the batch's targets, in fp32, which are already shifted by one; in training with what balances experts."""
    with network.autocast():
        outputs = network.module(input_ids=batch.inputs, use_cache=False, **batch.hints)
    total = summed(outputs.logits, batch.targets)
    if torch.is_grad_enabled() and outputs.get("aux_loss") is not None:
        # What balances experts is a mean; it weighs as much as the targets that it is added to.
        weight = network.model.config.router_aux_loss_coef * (batch.targets != IGNORED).sum()
        total = total + weight * outputs.aux_loss
    return total


def summed(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The loss of logits (batch, sequence, vocabulary); those of tensor parallelism are cut along the vocabulary."""
    total = cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum")
    return total.full_tensor() if isinstance(total, DTensor) else total
