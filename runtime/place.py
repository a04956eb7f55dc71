"""Where this process stands among the ranks, and how they meet.

Reads torchrun's environment. Without it the process is a group of one, so that the same code runs either way.
"""

from __future__ import annotations

import logging
import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import torch
import torch.distributed as dist

from .errors import StageError
from .planfile import RunPlan

log = logging.getLogger("trainc")

# torch ends a rank that waits too long without a word on the cause: the watch, which finds it out, speaks first. Ranks that start
# on different machines come apart by as much.
GRACE = timedelta(minutes=1)


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


def meet(place: Place, timeout: timedelta) -> dist.Store:
    """The store that all ranks of this attempt share."""
    if "RANK" not in os.environ:
        return dist.HashStore()
    agent_has_it = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    store = dist.TCPStore(
        os.environ["MASTER_ADDR"],
        int(os.environ["MASTER_PORT"]),
        place.world_size,
        is_master=place.rank == 0 and not agent_has_it,
        timeout=timeout + GRACE,
        wait_for_workers=False,
    )
    # torchrun keeps its store over a restart: without a prefix the new ranks would find the dead ones' addresses.
    return dist.PrefixStore(f"attempt_{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)


def refuse_another_bundle(place: Place, store: dist.Store, plan: Path) -> None:
    """Waits for every rank; refuses to train beside one whose bundle is not rank 0's."""
    # A bundle's manifest names every file by its hash.
    files = [path for path in (plan, plan.resolve().parents[2] / "bundle.json") if path.is_file()]
    store.set(f"bundle/{place.rank}", sha256(b"".join(path.read_bytes() for path in files)).hexdigest())
    keys = [f"bundle/{rank}" for rank in range(place.world_size)]
    try:
        store.wait(keys)
    except RuntimeError as fault:
        absent = ", ".join(str(rank) for rank, key in enumerate(keys) if not store.check([key]))
        raise StageError(f"rank {absent} did not come within {store.timeout.total_seconds():g} s") from fault
    if store.get(f"bundle/{place.rank}") != store.get("bundle/0"):
        raise StageError(
            f"rank {place.rank} on {socket.gethostname()} has another bundle than rank 0: copy the same one to every node"
        )


def join_group(place: Place, device: torch.device, store: dist.Store, timeout: timedelta) -> torch.device:
    """Starts the process group; returns the device that every collective works on.

    CPU tensors always travel by gloo, so that small agreements never wait for a GPU's queue.
    """
    shared = device.type == "cuda" and torch.cuda.device_count() < place.local_world_size
    backend = f"cpu:gloo,cuda:{'gloo' if shared else 'nccl'}" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, store=store, rank=place.rank, world_size=place.world_size, timeout=timeout + GRACE)
    if shared and not all_ranks_exchange(device):
        log.warning("the ranks share %s and gloo cannot exchange its tensors: they train on the CPU", device)
        return torch.device("cpu")
    return device


def let_groups_wait(timeout: timedelta) -> None:
    """Gives every process group made so far the stage's timeout: those of a mesh come with torch's own, 10 minutes for NCCL."""
    for group in dist.distributed_c10d._world.pg_map:
        dist.distributed_c10d._set_pg_timeout(timeout + GRACE, group)


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
