"""Distributed data parallel: every rank holds the whole model."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook
from torch.nn.parallel import DistributedDataParallel
from transformers import PreTrainedModel

from ..errors import StageError
from ..network import DTYPES, Network, materialise
from ..planfile import RunPlan, RunPrecision
from ..stage import Run
from ..weights import TorchWeights


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> Network:
    """The model on this rank's device, its gradients averaged over all ranks."""
    _refuse_unsupported(plan.precision, run.device)
    materialise(model, run.device)
    module = DistributedDataParallel(
        model,
        broadcast_buffers=False,
        gradient_as_bucket_view=True,
        bucket_cap_mb=(plan.strategy.bucket or 0) / 2**20,
        static_graph=bool(plan.strategy.static_graph),
    )
    if plan.precision.reduce != plan.precision.params:
        module.register_comm_hook(None, bf16_compress_hook)
    # Weights stay in the precision of `params`; only the arithmetic of the forward pass is cast.
    mixed = plan.precision.compute != plan.precision.params
    learns_graph = bool(plan.strategy.static_graph)

    def exchange(last: bool) -> AbstractContextManager[None]:
        nonlocal learns_graph
        # A static graph is learned in the first step, for which the reducer must see every backward pass.
        always, learns_graph = learns_graph, learns_graph and not last
        return nullcontext() if last or always else module.no_sync()

    return Network(
        module=module,
        model=model,
        exchange=exchange,
        autocast=lambda: torch.autocast(run.device.type, dtype=DTYPES[plan.precision.compute], enabled=mixed),
        weights=TorchWeights(model, run),
    )


def _refuse_unsupported(precision: RunPrecision, device: torch.device) -> None:
    if precision.params == "bf16" and precision.compute != "bf16":
        raise StageError("ddp cannot compute in fp32 on bf16 parameters: keep `params = fp32`, or use fsdp2")
    if precision.params == "bf16" and precision.reduce != "bf16":
        raise StageError("ddp reduces gradients in the type of the parameters, bf16: set `reduce = bf16`, or use fsdp2")
    if precision.reduce == "bf16" and precision.params == "fp32" and device.type != "cuda":
        raise StageError("ddp can reduce fp32 gradients in bf16 on GPUs only: set `reduce = fp32`, or use fsdp2")
