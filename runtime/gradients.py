"""The norm of the whole gradient, however its parts are spread, clipping to it, and taking a scale off it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor

from .mesh import Meshes


def mesh_of(tensor: torch.Tensor) -> DeviceMesh | None:
    """The mesh that a tensor is spread over; None for one that every rank holds whole."""
    return tensor.device_mesh if isinstance(tensor, DTensor) else None


def clip(parameters: Iterable[nn.Parameter], limit: float | None, meshes: Meshes) -> torch.Tensor:
    """Scales the gradients down to a total norm of `limit`; returns the norm that they had over all ranks."""
    groups = _by_mesh(parameters)
    # The parts of a mesh are summed by that mesh; groups of layers then add up over pp, as squares.
    squares = [_whole(nn.utils.get_total_norm([entry.grad for entry in group])).square() for group in groups]
    total = torch.stack(squares).sum()
    if meshes.size("pp") > 1:
        dist.all_reduce(total, group=meshes.states.get_group("pp"))
    norm = total.sqrt()
    if limit is not None:
        for group in groups:
            nn.utils.clip_grads_with_norm_(group, limit, norm)
    return norm


def divide(parameters: Iterable[nn.Parameter], divisor: float) -> None:
    """Divides every gradient, each rank its own part."""
    if divisor != 1:
        for group in _by_mesh(parameters):
            torch._foreach_div_([_own(entry.grad) for entry in group], divisor)


def _own(gradient: torch.Tensor | None) -> torch.Tensor:
    return gradient.to_local() if isinstance(gradient, DTensor) else gradient


def _by_mesh(parameters: Iterable[nn.Parameter]) -> list[list[nn.Parameter]]:
    groups: dict[DeviceMesh | None, list[nn.Parameter]] = defaultdict(list)
    for entry in parameters:
        if entry.grad is not None:
            groups[mesh_of(entry)].append(entry)
    return list(groups.values())


def _whole(norm: torch.Tensor) -> torch.Tensor:
    return norm.full_tensor() if isinstance(norm, DTensor) else norm
