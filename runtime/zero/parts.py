"""ZeRO-3: every rank keeps a part of each parameter, and gathers a module's while it computes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from transformers import PreTrainedModel

from ..network import DTYPES, Network, give_buffers
from ..planfile import RunPlan
from ..stage import Run
from . import library
from .whole import gather


@dataclass(frozen=True, slots=True)
class PartWeights:
    """Weights that are gathered one at a time."""

    model: PreTrainedModel
    run: Run

    def put(self, whole: dict[str, torch.Tensor]) -> None:
        """Gathers parameter by parameter and keeps what rank 0 wrote into it; buffers are broadcast."""
        from deepspeed import zero

        # A state dict's names are transformers', whatever is wrapped around a layer for its recomputation.
        named = {id(entry): (name, entry) for name, entry in self.model.state_dict(keep_vars=True).items()}
        for name, parameter in named.values():
            if not isinstance(parameter, torch.nn.Parameter):
                self._put_buffer(parameter, whole.get(name))
                continue
            with zero.GatheredParameters(parameter, modifier_rank=0):
                if self.run.leads:
                    parameter.data.copy_(whole[name])

    def _put_buffer(self, buffer: torch.Tensor, value: torch.Tensor | None) -> None:
        """Every rank has it whole."""
        if self.run.leads and value is not None:
            buffer.copy_(value)
        dist.broadcast(buffer, src=0)

    def whole(self) -> dict[str, torch.Tensor]:
        """Gathers tensor by tensor."""
        return gather(self.model, self.run)


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> Network:
    """The model with its parameters in parts, none of which has a value yet."""
    _partition(model, run, library.load(run), DTYPES[plan.precision.compute])
    return Network(
        module=model,
        model=model,
        exchange=lambda last: nullcontext(),
        autocast=nullcontext,
        weights=PartWeights(model, run),
    )


def _partition(model: PreTrainedModel, run: Run, deepspeed: Any, dtype: torch.dtype) -> None:
    """Gives one module after the other memory and splits it at once: no rank ever holds the whole model.

    DeepSpeed computes in the dtype that parameters have when they are split, whatever its settings say.
    """
    settings: dict[str, Any] = {"config_dict_or_path": library.settings(run)}
    # Children come first, so that `Init`, which descends, finds no parameter without memory.
    for module in reversed(list(model.modules())):
        module.to_empty(device=run.device, recurse=False)
        if module._parameters:
            for parameter in module.parameters(recurse=False):
                # Bytes of quantised matrices are no numbers.
                parameter.data = parameter.data.to(dtype if parameter.is_floating_point() else parameter.dtype)
            made = deepspeed.zero.Init(module=module, **settings)
            # The first one starts what all of them share: the swapper to disk, and the groups of hpZ.
            settings |= {"param_swapper": made.param_swapper, "zero_param_parallel_group": made.zero_param_process_group}
    # A new parameter a module has undone the sharing of tied weights.
    model.tie_weights()
    give_buffers(model, run.device)
