"""Learning-rate schedules; the optimizers stand in `optimizers/`."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch.optim.lr_scheduler import LambdaLR

from .planfile import RunSchedule


def cosine(optimizer: torch.optim.Optimizer, settings: RunSchedule) -> LambdaLR:
    """lr x (floor + (1 - floor) (1 + cos(pi p)) / 2), p = (step - warmup) / (total - warmup); linear warmup before."""
    return _schedule(optimizer, settings, lambda step: (1 + math.cos(math.pi * _progress(settings, step))) / 2)


def linear(optimizer: torch.optim.Optimizer, settings: RunSchedule) -> LambdaLR:
    """lr x (floor + (1 - floor) (1 - p)), p = (step - warmup) / (total - warmup); linear warmup before."""
    return _schedule(optimizer, settings, lambda step: 1 - _progress(settings, step))


def constant(optimizer: torch.optim.Optimizer, settings: RunSchedule) -> LambdaLR:
    """The full lr after the linear warmup; `floor` has nothing to do."""
    return _schedule(optimizer, settings, lambda step: 1.0)


def wsd(optimizer: torch.optim.Optimizer, settings: RunSchedule) -> LambdaLR:
    """Warmup, stable, decay: the full lr until `decay_steps` before the end, then linear down to floor x lr."""
    return _schedule(optimizer, settings, lambda step: min(1.0, (settings.total_steps - step) / max(1, settings.decay_steps)))


def _schedule(optimizer: torch.optim.Optimizer, settings: RunSchedule, shape: Callable[[int], float]) -> LambdaLR:
    def factor(step: int) -> float:
        # The first step already moves: (step + 1) / warmup.
        if step < settings.warmup_steps:
            return (step + 1) / settings.warmup_steps
        return settings.floor + (1 - settings.floor) * max(0.0, shape(step))

    return LambdaLR(optimizer, factor)


def _progress(settings: RunSchedule, step: int) -> float:
    return min(1.0, (step - settings.warmup_steps) / max(1, settings.total_steps - settings.warmup_steps))
