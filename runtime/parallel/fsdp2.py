"""Fully sharded data parallel: each rank keeps a slice of every parameter and gathers one layer at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from transformers import PreTrainedModel

from ..axes.ep import spread_experts
from ..axes.pp import callable_parts, copied
from ..layers import own_layers
from ..network import DTYPES, Network, materialise
from ..planfile import RunPlan
from ..stage import Run
from ..weights import TorchWeights


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> Network:
    """The model sharded over `dp_shard` and, where there are several, replicated over `dp_replicate`."""
    settings = plan.strategy
    shared = {
        "mesh": run.meshes.replicas,
        "mp_policy": MixedPrecisionPolicy(DTYPES[plan.precision.compute], DTYPES[plan.precision.reduce]),
        "offload_policy": CPUOffloadPolicy(pin_memory=run.device.type == "cuda") if settings.offload else OffloadPolicy(),
    }
    after_forward = settings.reshard_group or bool(settings.reshard_after_forward)
    # Sharding renames the layers' class, by which they are found.
    parts = callable_parts(model, run)
    for experts in spread_experts(model):
        # Fewer ranks share them: a group of the others' neighbours may be none of theirs.
        _shard_experts(experts, run, reshard_after_forward=bool(after_forward), **shared)
    layers = [fully_shard(layer, reshard_after_forward=after_forward, **shared) for layer in own_layers(model).values()]
    # The root keeps torch's default: its embedding and head are needed again at once by the backward pass.
    roots = [fully_shard(root, **shared) for root in parts or (model,)]
    _prefetch(layers, settings.prefetch or 1)
    materialise(model, run.device, shards_on=torch.device("cpu") if settings.offload else run.device)

    @contextmanager
    def exchange(last: bool) -> Iterator[None]:
        for root in roots:
            root.set_requires_gradient_sync(last or bool(settings.sync_each_batch))
        yield

    repeated = copied(model) if parts else frozenset[str]()
    return Network(
        module=model,
        model=model,
        exchange=exchange,
        autocast=nullcontext,
        weights=TorchWeights(model, run, repeated),
        parts=parts,
        copied=repeated,
    )


def _shard_experts(experts: nn.Module, run: Run, **shared: Any) -> None:
    """Experts are shared by fewer ranks than the rest, and have seen the tokens of all the others already."""
    unit = fully_shard(experts, **{**shared, "mesh": run.meshes.expert_replicas})
    unit.set_gradient_divide_factor(float(run.meshes.replicas.size()))
    if run.meshes.experts["dp_shard"].size() > 1:
        # Only NCCL can divide while it scatters sums; where one rank has them all, torch divides by itself.
        unit.set_force_sum_reduction_for_comms(True)


def _prefetch(layers: list[FSDPModule], count: int) -> None:
    """Gathers `count` layers ahead; torch does so for one by itself."""
    if count == 1:
        return
    for place, layer in enumerate(layers):
        layer.set_modules_to_forward_prefetch(layers[place + 1 : place + 1 + count])
        layer.set_modules_to_backward_prefetch(layers[max(0, place - count) : place][::-1])
