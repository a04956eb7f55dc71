"""ZeRO-1 and ZeRO-2: every rank computes with whole parameters, and keeps a part of the optimizer's states."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import torch
import torch.distributed as dist
from transformers import PreTrainedModel

from ..network import Network, materialise
from ..planfile import RunPlan
from ..stage import Run
from ..weights import TorchWeights
from . import library


@dataclass(frozen=True, slots=True)
class WholeWeights:
    """Weights that every rank computes with; those that train are the parts of the optimizer, in full precision."""

    model: PreTrainedModel
    run: Run

    def put(self, whole: dict[str, torch.Tensor]) -> None:
        """Broadcasts tensor by tensor."""
        TorchWeights(self.model, self.run).put(whole)

    def whole(self) -> dict[str, torch.Tensor]:
        """Gathers tensor by tensor."""
        return gather(self.model, self.run)


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> Network:
    """The model on this rank's device; the engine hands it to DeepSpeed."""
    library.load(run)
    materialise(model, run.device)
    return Network(
        module=model,
        model=model,
        exchange=lambda last: nullcontext(),
        autocast=nullcontext,
        weights=WholeWeights(model, run),
    )


def gather(model: PreTrainedModel, run: Run) -> dict[str, torch.Tensor]:
    """Every tensor of the model in rank 0's host memory, as the optimizer holds it; every rank calls it."""
    found: dict[str, torch.Tensor] = {}
    first: dict[int, str] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        if first.setdefault(id(tensor), name) != name:
            # Tied weights stay one tensor, which is how transformers knows them.
            if run.leads:
                found[name] = found[first[id(tensor)]]
            continue
        with _full(tensor) as full:
            if run.leads:
                found[name] = full.detach().to("cpu", copy=True)
    dist.barrier()
    return found


@contextmanager
def _full(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """A tensor in one piece; of one that trains, the optimizer's copy, which is exact."""
    from deepspeed import zero
    from deepspeed.utils import safe_get_full_fp32_param

    if tensor.requires_grad:
        yield safe_get_full_fp32_param(tensor)
        return
    with zero.GatheredParameters([tensor] if hasattr(tensor, "ds_id") else []):
        yield tensor
