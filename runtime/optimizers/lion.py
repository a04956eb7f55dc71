"""Lion (Chen et al. 2023, arXiv:2302.06675, algorithm 2): each entry moves by the learning rate, in the direction of a momentum.

torch has none; the packages that do bring kernels of their own or loops over tensors, for five lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..network import Network
from ..parameter_groups import betas, groups
from ..planfile import RunOptimizer
from ..shards import gradient_of, own


def build(network: Network, settings: RunOptimizer) -> Lion:
    """Steps shards where they lie: no rank needs another's."""
    return Lion(groups(network, settings), lr=settings.lr, betas=betas(settings))


class Lion(torch.optim.Optimizer):
    """One moment, in the dtype of the parameters."""

    def __init__(self, params: Any, lr: float, betas: tuple[float, float], weight_decay: float = 0.0) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Moves every parameter that has a gradient."""
        for group in self.param_groups:
            moving = [parameter for parameter in group["params"] if parameter.grad is not None]
            for parameter in moving:
                if not self.state[parameter]:
                    self.state[parameter]["exp_avg"] = torch.zeros_like(parameter)
            if moving:
                _move(
                    [own(parameter) for parameter in moving],
                    [own(gradient_of(parameter)) for parameter in moving],
                    [own(self.state[parameter]["exp_avg"]) for parameter in moving],
                    group,
                )


def _move(weights: list[torch.Tensor], gradients: list[torch.Tensor], moments: list[torch.Tensor], group: dict[str, Any]) -> None:
    mixed, kept = group["betas"]
    direction = torch._foreach_lerp(moments, gradients, 1 - mixed)
    torch._foreach_sign_(direction)
    torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
    torch._foreach_add_(weights, direction, alpha=-group["lr"])
    torch._foreach_lerp_(moments, gradients, 1 - kept)
