"""How whole weights come into a model that torch has spread, and out of it: a tensor at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.tensor import DTensor
from transformers import PreTrainedModel

from .errors import StageError
from .stage import Run


@dataclass(frozen=True, slots=True)
class TorchWeights:
    """Those of `model`, of which pp may leave this rank a part; `copied` names what repeats another rank's."""

    model: PreTrainedModel
    run: Run
    copied: frozenset[str] = frozenset()

    def put(self, whole: dict[str, torch.Tensor]) -> None:
        """Broadcasts tensor by tensor."""
        named: list[Any] = [set(whole)]
        dist.broadcast_object_list(named, src=0, device=torch.device("cpu"))
        if missing := self.model.state_dict().keys() - named[0]:
            raise StageError(f"the model's weights lack {', '.join(sorted(missing))}")
        # A rank of pp asks for some of the weights only, which a strict load refuses.
        options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, strict=False)
        set_model_state_dict(self.model, whole, options=options)

    def whole(self) -> dict[str, torch.Tensor]:
        """Gathers tensor by tensor; rank 0 receives what it has no part of."""
        own = {name: tensor for name, tensor in get_model_state_dict(self.model).items() if name not in self.copied}
        group = self.run.meshes.states.get_group("pp")
        shapes: list[dict[str, tuple[torch.Size, torch.dtype]]] = [{} for _ in range(self.run.meshes.size("pp"))]
        dist.all_gather_object(shapes, {name: (tensor.shape, tensor.dtype) for name, tensor in own.items()}, group=group)
        weights = {}
        for name, tensor in own.items():
            here = self._gathered(tensor)
            if self.run.leads:
                weights[name] = here
            elif 0 in dist.get_process_group_ranks(group):
                dist.send(here, group=group, group_dst=0)
        return weights | self._received(shapes, group) if self.run.leads else {}

    def _received(self, shapes: list[dict[str, tuple[torch.Size, torch.dtype]]], group: Any) -> dict[str, torch.Tensor]:
        weights = {}
        for place, expected in enumerate(shapes[1:], start=1):
            for name, (shape, dtype) in expected.items():
                weights[name] = torch.empty(shape, dtype=dtype)
                dist.recv(weights[name], group=group, group_src=place)
        return weights

    def _gathered(self, tensor: torch.Tensor) -> torch.Tensor:
        here = tensor.detach()
        # What lives in host memory is gathered where collectives work.
        return (here.to(self.run.device).full_tensor() if isinstance(here, DTensor) else here).cpu().contiguous()
