"""Where this process stands among the ranks, and how they meet.

Reads torchrun's environment. Without it the process is a group of one, so that the same code runs either way.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist

from .errors import StageError
from .planfile import RunPlan

log = logging.getLogger("trainc")

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
    """A GPU for this rank, of its own where the plan's `device` is `cuda`, or the CPU.

    With `any`, ranks share the GPUs where there are fewer than ranks: `join_group` shows whether they can.
    """
    gpus = torch.cuda.device_count()
    if plan.device not in ("cuda", "cpu", "any"):
        raise StageError(f"the plan's device is `{plan.device}`, this runtime knows cuda, cpu and any")
    if plan.device == "cuda" and gpus < place.local_world_size:
        raise StageError(
            f"this node runs {place.local_world_size} ranks and shows {gpus} GPUs: "
            "launch on a node with a GPU a rank, or compile for `any` device"
        )
    if plan.device == "cpu" or gpus == 0:
        return torch.device("cpu")
    device = torch.device("cuda", place.local_rank % gpus)
    torch.cuda.set_device(device)
    return device


def join_group(place: Place, device: torch.device) -> tuple[dist.Store, torch.device]:
    """Starts the process group; returns the store it met on, and the device that every collective works on.

    CPU tensors always travel by gloo, so that small agreements never wait for a GPU's queue.
    """
    store = _store(place)
    shared = device.type == "cuda" and torch.cuda.device_count() < place.local_world_size
    backend = f"cpu:gloo,cuda:{'gloo' if shared else 'nccl'}" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, store=store, rank=place.rank, world_size=place.world_size, timeout=COLLECTIVE_TIMEOUT)
    if shared and not all_ranks_exchange(device):
        log.warning("the ranks share %s and gloo cannot exchange its tensors: they train on the CPU", device)
        return store, torch.device("cpu")
    return store, device


def all_ranks_exchange(device: torch.device) -> bool:
    """Whether the collectives of sharded training give right results for tensors on `device`, on every rank.

    NCCL refuses two ranks on one GPU ("Duplicate GPU detected"); gloo carries GPU tensors through host memory (its support chart:
    pytorch/pytorch#149869).
    """
    works = torch.tensor([1 if _exchanges(device) else 0])
    dist.all_reduce(works, op=dist.ReduceOp.MIN)
    return bool(works.item())


def _exchanges(device: torch.device) -> bool:
    ranks, rank = dist.get_world_size(), dist.get_rank()
    own = torch.full((1,), float(rank), device=device)
    gathered, total = torch.empty(ranks, device=device), torch.empty(1, device=device)
    try:
        dist.all_gather_into_tensor(gathered, own)
        dist.reduce_scatter_tensor(total, gathered)
        dist.all_reduce(own)
        # Reading the values waits for the device, whose errors show only then.
        return gathered.tolist() == list(range(ranks)) and total.item() == rank * ranks and own.item() == sum(range(ranks))
    except RuntimeError as fault:
        log.warning("gloo on %s: %s", device, fault)
        return False


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
