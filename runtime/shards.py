"""A rank's part of a tensor that is spread over ranks, and what takes the parts of the others too; any tensor may be whole."""

from __future__ import annotations

from collections.abc import Collection

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Placement, Replicate


def gradient_of(parameter: torch.nn.Parameter) -> torch.Tensor:
    """The gradient of a parameter that has one."""
    assert parameter.grad is not None, "the caller has asked"
    return parameter.grad


def own(tensor: torch.Tensor) -> torch.Tensor:
    """This rank's part."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """All parts together, on every rank that has one, and on the device that the ranks compute on."""
    return tensor.full_tensor().to(tensor.device_mesh.device_type) if isinstance(tensor, DTensor) else tensor


def part_of_whole(value: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """This rank's part of what every rank holds whole, cut as another tensor is."""
    if not isinstance(like, DTensor):
        return value
    mesh = like.device_mesh
    return (
        DTensor.from_local(value, mesh, [Replicate()] * mesh.ndim, run_check=False).redistribute(mesh, like.placements).to_local()
    )


def summed(value: torch.Tensor, of: torch.Tensor, dims: Collection[int]) -> torch.Tensor:
    """Adds up what ranks have summed over their parts of these dims, counted from the last (-1), in place."""
    if isinstance(of, DTensor):
        cut = [_dim(placement, of.ndim) for placement in of.placements]
        for axis in (axis for axis, dim in enumerate(cut) if dim in dims):
            dist.all_reduce(value, group=of.device_mesh.get_group(axis))
    return value


def root_mean_square(of: torch.Tensor, values: torch.Tensor | None = None) -> float:
    """Over the whole tensor, whose own part is `values` where it is not its own."""
    part = own(of) if values is None else values
    total = summed(part.norm().square(), of, range(-of.ndim, 0))
    return float(total.sqrt()) / float(of.numel() ** 0.5)


def reduced(of: torch.Tensor, dim: int) -> torch.Tensor:
    """Zeros in the shape of a tensor but with one entry along `dim`, spread over the same ranks along the other dims."""
    shape = [1 if index == of.ndim + dim else size for index, size in enumerate(of.shape)]
    local = [1 if index == of.ndim + dim else size for index, size in enumerate(own(of).shape)]
    zeros = torch.zeros(local, dtype=of.dtype, device=own(of).device)
    if not isinstance(of, DTensor):
        return zeros
    placements = [Replicate() if _dim(placement, of.ndim) == dim else placement for placement in of.placements]
    stride = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(zeros, of.device_mesh, placements, run_check=False, shape=torch.Size(shape), stride=stride)


def _dim(placement: Placement, dims: int) -> int | None:
    """The dim that a placement cuts, counted from the last; None where every rank has all of it."""
    dim = getattr(placement, "dim", None)
    return None if dim is None else dim % dims - dims
