"""The loss on held-out samples, the same number however the ranks are arranged."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.distributed as dist

from .data import IGNORED, Batch
from .data.batches import TokenSamples, collate
from .network import Network
from .planfile import RunEvaluation
from .stage import Run

LossFunction = Callable[[Network, Batch], torch.Tensor]


def held_out_loss(run: Run, network: Network, samples: TokenSamples, settings: RunEvaluation, loss: LossFunction) -> float:
    """Mean loss a target over the first `batches` global batches of the held-out samples, or all if there are fewer."""
    batch = run.plan.batch
    count = min(len(samples), settings.batches * batch.global_size)
    totals = torch.zeros(2, dtype=torch.float64)
    together = batch.micro * batch.data_parallel
    with network.evaluating():
        # Each rank calls the model equally often, for under fsdp2 a call is a collective: the last calls may count nothing.
        for first in range(0, count, together):
            mine = range(first + run.rank * batch.micro, first + (run.rank + 1) * batch.micro)
            micro = _padded(samples, mine, count)
            totals[1] += (micro.targets != IGNORED).sum()
            totals[0] += loss(network, micro.to(run.device)).double().cpu()
    dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()


def _padded(samples: TokenSamples, indices: range, count: int) -> Batch:
    real = collate(samples, [min(index, count - 1) for index in indices])
    targets = real.targets.clone()
    targets[[row for row, index in enumerate(indices) if index >= count]] = IGNORED
    return Batch(real.inputs, targets, real.samples)
