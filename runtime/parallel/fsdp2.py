"""Fully sharded data parallel: each rank keeps a slice of every parameter and gathers one layer at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from transformers import PreTrainedModel

from ..layers import decoder_layers
from ..network import DTYPES, Network, materialise
from ..planfile import RunPlan
from ..stage import Run


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> Network:
    """The model sharded over `dp_shard` and, where there are several, replicated over `dp_replicate`."""
    mesh = run.mesh if plan.mesh.dp_replicate > 1 else run.mesh["dp_shard"]
    policy = MixedPrecisionPolicy(param_dtype=DTYPES[plan.precision.compute], reduce_dtype=DTYPES[plan.precision.reduce])
    for layer in decoder_layers(model):
        fully_shard(layer, mesh=mesh, mp_policy=policy, reshard_after_forward=bool(plan.strategy.reshard_after_forward))
    # The root keeps torch's default: its embedding and head are needed again at once by the backward pass.
    root = fully_shard(model, mesh=mesh, mp_policy=policy)
    materialise(model, run.device)

    @contextmanager
    def exchange(last: bool) -> Iterator[None]:
        root.set_requires_gradient_sync(last)
        yield

    return Network(module=model, model=model, exchange=exchange, autocast=nullcontext)
