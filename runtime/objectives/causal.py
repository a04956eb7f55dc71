"""Next-token cross-entropy."""

from __future__ import annotations

import torch
from torch.distributed.tensor import DTensor
from torch.nn.functional import cross_entropy

from ..data import IGNORED, Batch
from ..expert_balance import sequence_losses
from ..network import Network


def loss(network: Network, batch: Batch) -> torch.Tensor:
    """The sum over the batch's targets, in fp32; the batch's targets are already shifted by one.

    While a model with experts trains, each target also weighs the loss that balances its sequence's experts.
    """
    coefficient = getattr(network.model.config, "router_aux_loss_coef", None)
    balanced = bool(coefficient) and torch.is_grad_enabled()
    routers = {} if coefficient is None else {"output_router_logits": balanced}
    with network.autocast():
        output = network.module(input_ids=batch.inputs, use_cache=False, **batch.hints, **routers)
    total = summed(output.logits, batch.targets)
    if not balanced:
        return total
    balance = sequence_losses(output.router_logits, network.model.config, sequences=len(batch.inputs))
    return total + coefficient * (balance * (batch.targets != IGNORED).sum(dim=1)).sum()


def summed(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The loss of logits (batch, sequence, vocabulary); those of tensor parallelism are cut along the vocabulary."""
    total = cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum")
    return total.full_tensor() if isinstance(total, DTensor) else total
