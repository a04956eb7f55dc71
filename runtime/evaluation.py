"""The loss on held-out samples, the same number however the ranks are arranged."""

from __future__ import annotations

from dataclasses import replace

import torch
import torch.distributed as dist

from .data import IGNORED, Batch
from .data.batches import TokenSamples, collate
from .engines import Engine
from .planfile import RunEvaluation
from .stage import Run


def held_out_loss(run: Run, engine: Engine, samples: TokenSamples, settings: RunEvaluation) -> float:
    """Mean loss a target over the first `batches` global batches of the held-out samples, or all if there are fewer."""
    batch, share = run.plan.batch, run.meshes.index("dp")
    count = min(len(samples), settings.batches * batch.global_size)
    together = batch.micro * batch.data_parallel
    totals = torch.zeros(2, dtype=torch.float64)
    with engine.network.evaluating():
        # Each rank calls the engine equally often, for a call holds collectives: the last calls may count nothing.
        for first in range(0, count, together * engine.evaluates):
            starts = [first + turn * together + share * batch.micro for turn in range(engine.evaluates)]
            micro = [_padded(samples, range(start, start + batch.micro), count) for start in starts]
            totals[1] += sum(int((part.targets != IGNORED).sum()) for part in micro) * batch.data_parallel / run.world_size
            totals[0] += engine.evaluate(micro).double().cpu()
    dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()


def _padded(samples: TokenSamples, indices: range, count: int) -> Batch:
    real = collate(samples, [min(index, count - 1) for index in indices])
    targets = real.targets.clone()
    targets[[row for row, index in enumerate(indices) if index >= count]] = IGNORED
    return replace(real, targets=targets)
