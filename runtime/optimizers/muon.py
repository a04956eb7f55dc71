"""Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/): matrices move along an orthogonalised momentum.

Embedding, head, norms and biases are AdamW's, as its authors ask. Orthogonalising a shard is not orthogonalising the matrix, so
every rank that shares a matrix puts its update together, orthogonalises the whole and keeps its own part; momenta stay shards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import torch
from torch.optim._muon import _adjust_lr, _zeropower_via_newtonschulz

from ..network import Network
from ..parameter_groups import betas, groups
from ..planfile import RunOptimizer
from ..shards import gradient_of, own, part_of_whole, whole


def build(network: Network, settings: RunOptimizer) -> Muon:
    """The two optimizers as one, with the groups of both; beside an adapter, or on a rank of a pipeline, one may have none."""
    matrices, others = (groups(network, settings, hidden=hidden) for hidden in (True, False))
    inner: list[torch.optim.Optimizer] = []
    if matrices:
        momentum = {"momentum": settings.momentum or 0.0, "nesterov": bool(settings.nesterov)}
        turning = {"ns_steps": settings.ns_steps or 0, "adjust_lr_fn": settings.adjust_lr}
        inner.append(WholeMatrices(matrices, lr=settings.lr, **momentum, **turning))
    if others:
        inner.append(torch.optim.AdamW(others, lr=settings.lr, betas=betas(settings), eps=settings.eps or 0.0, fused=True))
    return Muon(inner)


class WholeMatrices(torch.optim.Muon):
    """torch's Muon, which orthogonalises whole matrices however they are spread."""

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Moves every matrix that has a gradient."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is not None:
                    self._move(matrix, group)

    def _move(self, matrix: torch.nn.Parameter, group: dict[str, Any]) -> None:
        state, gradient = self.state[matrix], gradient_of(matrix)
        if not state:
            state["momentum_buffer"] = torch.zeros_like(gradient)
        momentum = state["momentum_buffer"].lerp_(gradient, 1 - group["momentum"])
        update = gradient.lerp(momentum, group["momentum"]) if group["nesterov"] else momentum
        turned = _zeropower_via_newtonschulz(whole(update), group["ns_coefficients"], group["ns_steps"], group["eps"])
        rate = _adjust_lr(group["lr"], group["adjust_lr_fn"], matrix.shape)
        weight = own(matrix)
        weight.mul_(1 - group["lr"] * group["weight_decay"])
        weight.add_(part_of_whole(turned, matrix).to(weight.device), alpha=-rate)


class Muon(torch.optim.Optimizer):
    """Several optimizers with one list of groups and one dictionary of states, so that schedules and checkpoints see one."""

    def __init__(self, inner: Sequence[torch.optim.Optimizer]) -> None:
        self._inner = inner
        self._counts = [len(optimizer.param_groups) for optimizer in inner]
        super().__init__([group for optimizer in inner for group in optimizer.param_groups], {})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Steps them all."""
        groups = iter(self.param_groups)
        for optimizer, count in zip(self._inner, self._counts, strict=True):
            # Loading a checkpoint has replaced both.
            optimizer.param_groups, optimizer.state = list(islice(groups, count)), self.state
            optimizer.step()
