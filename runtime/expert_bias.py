"""Keeps a router from sending all tokens to few experts without a loss: biases that pick experts move after each step.

An expert that was visited less than the mean is picked a little more easily from then on, one that was visited more a little less
(Wang et al. 2024, arXiv:2408.15664; DeepSeek-AI 2024, arXiv:2412.19437, section 2.1.2). Visits are counted over all tokens of a
step, so that the biases depend on no arrangement of ranks and micro-batches. transformers has the biases, and never moves them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from .network import Network
from .stage import Run

BIAS = "e_score_correction_bias"


def steer(network: Network, run: Run, rate: float) -> None:
    """Counts the visits of every training step, and moves the biases by `rate` after it."""
    routers = [_Counted(module) for module in network.model.modules() if BIAS in module._buffers]
    for router in routers:
        router.module.register_forward_hook(router.count)
    network.followers.append(lambda taken: _follow(routers, run, rate, taken))


@dataclass(eq=False)
class _Counted:
    """A router, and how often its experts were visited since the last step; recomputation counts all of its visits twice."""

    module: nn.Module
    visits: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.visits = torch.zeros_like(self.bias, dtype=torch.int64)

    @property
    def bias(self) -> torch.Tensor:
        """Looked up: an engine may put another tensor there."""
        return self.module._buffers[BIAS]  # type: ignore[return-value]

    def count(self, module: nn.Module, _inputs: Any, output: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
        """Adds what a forward pass picked; evaluation balances nothing."""
        if module.training:
            picked = output[2].detach().flatten()
            self.visits.scatter_add_(0, picked, torch.ones_like(picked))


def _follow(routers: list[_Counted], run: Run, rate: float, taken: bool) -> None:
    """Moves the biases where the step was taken; begins to count anew."""
    if taken and routers:
        visits = torch.stack([router.visits for router in routers])
        for axis in ("dp", "cp"):
            if run.meshes.size(axis) > 1:
                dist.all_reduce(visits, group=run.meshes.samples.get_group(axis))
        # Whole numbers: visits x experts against the sum, so that the mean itself is met exactly.
        wanting = (visits.sum(dim=1, keepdim=True) - visits * visits.shape[1]).sign()
        for router, direction in zip(routers, wanting, strict=True):
            router.bias.add_(direction.to(router.bias.dtype), alpha=rate)
    for router in routers:
        router.visits.zero_()
