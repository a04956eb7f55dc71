"""Next-token cross-entropy."""

from __future__ import annotations

import torch
from torch.distributed.tensor import DTensor
from torch.nn.functional import cross_entropy

from ..data import IGNORED, Batch
from ..network import Network


def loss(network: Network, batch: Batch) -> torch.Tensor:
    """The sum over the batch's targets, in fp32; the batch's targets are already shifted by one."""
    with network.autocast():
        logits = network.module(input_ids=batch.inputs, use_cache=False, **batch.hints).logits
    return summed(logits, batch.targets)


def summed(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The loss of logits (batch, sequence, vocabulary); those of tensor parallelism are cut along the vocabulary."""
    total = cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum")
    return total.full_tensor() if isinstance(total, DTensor) else total
