"""Where this process stands among the ranks, and how they meet.

Reads torchrun's environment. Without it the process is a group of one, so that the same code runs either way.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist

from .errors import StageError
from .planfile import RunPlan

# Rank 0 reads pretrained weights while the others wait for them in a broadcast.
COLLECTIVE_TIMEOUT = timedelta(minutes=60)


@dataclass(frozen=True, slots=True)
class Place:
    """One rank of a group, and its number on its own node."""

    rank: int
    local_rank: int
    world_size: int
    local_world_size: int


def from_environment() -> Place:
    """The place that the launcher gave this process."""
    if "RANK" not in os.environ:
        return Place(rank=0, local_rank=0, world_size=1, local_world_size=1)
    world_size = int(os.environ["WORLD_SIZE"])
    return Place(
        rank=int(os.environ["RANK"]),
        local_rank=int(os.environ.get("LOCAL_RANK", "0")),
        world_size=world_size,
        local_world_size=int(os.environ.get("LOCAL_WORLD_SIZE", str(world_size))),
    )


def choose_device(plan: RunPlan, place: Place) -> torch.device:
    """A GPU of its own for this rank, or the CPU, as the plan's `device` asks."""
    gpus = torch.cuda.device_count()
    if plan.device not in ("cuda", "cpu", "any"):
        raise StageError(f"the plan's device is `{plan.device}`, this runtime knows cuda, cpu and any")
    if plan.device == "cuda" and gpus < place.local_world_size:
        raise StageError(
            f"this node runs {place.local_world_size} ranks and shows {gpus} GPUs: "
            "launch on a node with a GPU a rank, or compile for `any` device"
        )
    if plan.device == "cpu" or gpus < place.local_world_size:
        return torch.device("cpu")
    torch.cuda.set_device(place.local_rank)
    return torch.device("cuda", place.local_rank)


def join_group(place: Place, device: torch.device) -> dist.Store:
    """Starts the process group and returns the store it met on.

    CPU tensors always travel by gloo, so that small agreements never wait for a GPU's queue.
    """
    store = _store(place)
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, store=store, rank=place.rank, world_size=place.world_size, timeout=COLLECTIVE_TIMEOUT)
    return store


def _store(place: Place) -> dist.Store:
    if "RANK" not in os.environ:
        return dist.HashStore()
    agent_has_it = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    store = dist.TCPStore(
        os.environ["MASTER_ADDR"],
        int(os.environ["MASTER_PORT"]),
        place.world_size,
        is_master=place.rank == 0 and not agent_has_it,
        timeout=COLLECTIVE_TIMEOUT,
    )
    # torchrun keeps its store over a restart: without a prefix the new ranks would find the dead ones' addresses.
    return dist.PrefixStore(f"attempt_{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)
