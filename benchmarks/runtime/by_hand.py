"""The loop that one writes by hand: a model, DDP or FSDP2, fused AdamW, clipping, and nothing else."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from trainc.runtime.planfile import RunPlan
from training import Tokens, device_of, model_of, optimizer_of
from turns import Turns


def train(plan: RunPlan, turns: Turns) -> list[float]:
    """Losses of the steps that are read."""
    device, mixed = device_of(plan), plan.precision.compute == "bf16"
    if plan.world_size > 1:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank = dist.get_rank() if plan.world_size > 1 else 0
    tokens, model = Tokens(plan), model_of(plan).to(device)
    spread = _spread(model, plan, device)
    optimizer, micro, accumulation = optimizer_of(model, plan), plan.batch.micro, plan.batch.accumulation
    autocast = torch.autocast(device.type, torch.bfloat16, enabled=mixed and plan.strategy.name == "ddp")
    losses: list[float] = []
    for step in range(plan.schedule.total_steps):
        turns.step()
        first = step * plan.batch.global_size + rank * micro * accumulation
        loss = torch.zeros((), device=device)
        for number in range(accumulation):
            here = slice(first + number * micro, first + (number + 1) * micro)
            inputs = tokens.inputs[here].to(device, non_blocking=True)
            targets = tokens.targets[here].to(device, non_blocking=True)
            with _exchange(spread, last=number == accumulation - 1):
                with autocast:
                    logits = spread(input_ids=inputs, use_cache=False).logits
                part = cross_entropy(logits.float().flatten(0, 1), targets.flatten()) / accumulation
                part.backward()
            loss += part.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
        optimizer.step()
        optimizer.zero_grad()
        if (step + 1) % plan.logging.every_steps == 0:
            if plan.world_size > 1:
                dist.all_reduce(loss)
            losses.append(loss.item() / plan.world_size)
    return losses


def _spread(model: Any, plan: Any, device: torch.device) -> Any:
    if plan.strategy.name == "fsdp2":
        dtypes = {"fp32": torch.float32, "bf16": torch.bfloat16}
        policy = MixedPrecisionPolicy(dtypes[plan.precision.compute], dtypes[plan.precision.reduce])
        shared: dict[str, Any] = {"mesh": init_device_mesh(device.type, (plan.world_size,)), "mp_policy": policy}
        for layer in model.model.layers:
            fully_shard(layer, **shared)
        return fully_shard(model, **shared)
    return DistributedDataParallel(model, gradient_as_bucket_view=True) if plan.world_size > 1 else model


def _exchange(spread: Any, last: bool) -> Any:
    if isinstance(spread, DistributedDataParallel):
        return nullcontext() if last else spread.no_sync()
    if hasattr(spread, "set_requires_gradient_sync"):
        spread.set_requires_gradient_sync(last)
    return nullcontext()
