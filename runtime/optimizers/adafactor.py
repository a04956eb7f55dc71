"""Adafactor (Shazeer & Stern 2018, arXiv:1804.04235): second moments by row and by column in place of one an entry.

torch's, but for the step: its in-place powers of partial sums have no rule for tensors that are spread over ranks. Here each rank
sums over its own part, and the sums meet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..network import Network
from ..parameter_groups import groups
from ..planfile import RunOptimizer
from ..shards import gradient_of, own, reduced, root_mean_square, summed


def build(network: Network, settings: RunOptimizer) -> Adafactor:
    """Needs the sums of the others: of each matrix a row, a column's mean and two numbers a step."""
    return Adafactor(
        groups(network, settings),
        lr=settings.lr,
        beta2_decay=-(settings.decay_rate or 0.0),
        eps=(None, settings.least_scale or 0.0),
        d=settings.clip_threshold or 1.0,
    )


class Adafactor(torch.optim.Adafactor):
    """torch's optimizer, whose step adds up over the ranks that share a tensor."""

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Moves every parameter that has a gradient."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, group)

    def _move(self, parameter: torch.nn.Parameter, group: dict[str, Any]) -> None:
        state, weight, gradient = self.state[parameter], own(parameter), own(gradient_of(parameter))
        if not state:
            state |= _zeros(parameter)
        state["step"] += 1
        step, (_, least) = float(state["step"]), group["eps"]
        rate = min(group["lr"], step**-0.5) * max(least, root_mean_square(parameter))
        weight.mul_(1 - group["lr"] * group["weight_decay"])
        floor = torch.finfo(parameter.dtype).eps
        update = _variance(parameter, gradient, state, step ** group["beta2_decay"], floor)
        update.clamp_(min=floor * floor).rsqrt_().mul_(gradient)
        size = root_mean_square(parameter, update)
        weight.add_(update, alpha=-rate / max(1.0, size / group["d"]))


def _zeros(parameter: torch.nn.Parameter) -> dict[str, torch.Tensor]:
    """The states of a parameter: those of a matrix are as spread as its rows and columns are."""
    start = {"step": torch.tensor(0.0)}
    if parameter.dim() < 2:
        return start | {"variance": torch.zeros_like(parameter)}
    return start | {"row_var": reduced(parameter, -1), "col_var": reduced(parameter, -2)}


def _variance(parameter: torch.Tensor, gradient: torch.Tensor, state: dict[str, Any], share: float, floor: float) -> torch.Tensor:
    """What each entry of this rank's part is divided by the root of."""
    squares = gradient * gradient
    if "variance" in state:
        return own(state["variance"]).lerp_(squares, share).clone()
    row, column = own(state["row_var"]), own(state["col_var"])
    row.lerp_(summed(squares.sum(-1, keepdim=True), parameter, (-1,)) / parameter.size(-1), share)
    column.lerp_(summed(squares.sum(-2, keepdim=True), parameter, (-2,)) / parameter.size(-2), share)
    mean = summed(row.sum(-2, keepdim=True), parameter, (-2,)) / parameter.size(-2)
    return row @ column / mean.clamp_(min=floor)
