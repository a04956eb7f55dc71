"""Brings the whole model together in the memory of rank 0, one tensor at a time: no device ever holds two whole ones."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.tensor import DTensor

from ..network import Network
from ..stage import Run


def whole_weights(network: Network, run: Run) -> dict[str, torch.Tensor]:
    """Every tensor by transformers' name, on the CPU of rank 0; nothing on the others. Every rank calls it."""
    own = {name: tensor for name, tensor in get_model_state_dict(network.module).items() if name not in network.copied}
    group = run.meshes.states.get_group("pp")
    shapes: list[dict[str, tuple[torch.Size, torch.dtype]]] = [{} for _ in range(run.meshes.size("pp"))]
    dist.all_gather_object(shapes, {name: (tensor.shape, tensor.dtype) for name, tensor in own.items()}, group=group)
    weights = {}
    for name, tensor in own.items():
        whole = _whole(tensor, run.device)
        if run.leads:
            weights[name] = whole
        elif 0 in dist.get_process_group_ranks(group):
            dist.send(whole, group=group, group_dst=0)
    if run.leads:
        for place, expected in enumerate(shapes[1:], start=1):
            for name, (shape, dtype) in expected.items():
                weights[name] = torch.empty(shape, dtype=dtype)
                dist.recv(weights[name], group=group, group_src=place)
    return weights


def _whole(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    here = tensor.detach()
    # What lives in host memory is gathered where collectives work.
    return (here.to(device).full_tensor() if isinstance(here, DTensor) else here).cpu().contiguous()
