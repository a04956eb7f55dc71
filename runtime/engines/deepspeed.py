"""DeepSpeed: its engine accumulates, clips and steps; the loss, its normalisation and the schedule are ours."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from ..data import Batch
from ..errors import StageError
from ..network import Network
from ..parameter_groups import betas, groups
from ..planfile import RunPlan
from ..scaling import LossScale
from ..stage import Run
from ..zero import library, universal
from .share import own_part

LossFunction = Callable[[Network, Batch], torch.Tensor]

# DeepSpeed puts its files into a folder of this name inside a checkpoint's.
TAG = "deepspeed"


def adamw(network: Network, plan: RunPlan) -> torch.optim.Optimizer:
    """AdamW over what DeepSpeed will split; DeepSpeed's own where the states are in host memory, for that one steps on the CPU."""
    settings, split = plan.optimizer, groups(network, plan.optimizer)
    named: dict[str, Any] = {"lr": settings.lr, "betas": betas(settings), "eps": settings.eps}
    if plan.strategy.offload_optimizer == "none":
        return torch.optim.AdamW(split, fused=True, **named)
    from deepspeed.ops.adam import DeepSpeedCPUAdam

    optimizer: torch.optim.Optimizer = DeepSpeedCPUAdam(split, adamw_mode=True, **named)
    return optimizer


def start(run: Run, network: Network, loss: LossFunction, optimizer: torch.optim.Optimizer, schedule: LambdaLR) -> DeepSpeed:
    """Hands the model and its optimizer to DeepSpeed."""
    buffers = {name: (*_owner(network.model, name), buffer.clone()) for name, buffer in network.model.named_buffers()}
    inner, *_ = library.load(run).initialize(
        model=network.module, optimizer=optimizer, config=library.settings(run), dist_init_required=False
    )
    for module, name, buffer in buffers.values():
        # DeepSpeed casts buffers too: rotary frequencies in bf16 would put long sequences' tokens at wrong places.
        setattr(module, name, buffer)
    return DeepSpeed(run, replace(network, module=inner), loss, optimizer, schedule, inner)


def _owner(model: nn.Module, path: str) -> tuple[nn.Module, str]:
    """The module that a buffer belongs to, and its name there."""
    owner, _, name = path.rpartition(".")
    return model.get_submodule(owner), name


@dataclass(frozen=True, slots=True)
class DeepSpeed:
    """The engine of the strategies zero1, zero2 and zero3; `optimizer` is the one inside DeepSpeed's."""

    run: Run
    network: Network
    loss: LossFunction
    optimizer: torch.optim.Optimizer
    schedule: LambdaLR
    inner: Any
    scaling: LossScale = field(default_factory=LossScale)
    evaluates: int = 1

    def accumulate(self, micro: list[Batch], targets: int) -> torch.Tensor:
        """DeepSpeed averages over its ranks, and would divide by the micro-batches: the sum is scaled by us alone."""
        scale = self.run.meshes.size("dp") / max(1, targets)
        losses = []
        for number, batch in enumerate(micro, start=1):
            self.inner.set_gradient_accumulation_boundary(number == len(micro))
            summed = self.loss(self.network, own_part(batch, self.network, self.run))
            self.inner.backward(summed * scale, scale_wrt_gas=False)
            losses.append(summed.detach())
        return torch.stack(losses)

    def update(self) -> float:
        """Clips and steps; DeepSpeed leaves the weights as they are where the norm is not finite."""
        self.inner.step()
        self.network.stepped(True)
        self.schedule.step()
        return float(self.inner.get_global_grad_norm())

    def drop(self) -> None:
        """TRN247 lets no plan ask for it: DeepSpeed keeps a step's gradients until it has stepped."""
        raise StageError("DeepSpeed cannot leave a step out: set nonfinite = stop")

    def evaluate(self, micro: list[Batch]) -> torch.Tensor:
        """The micro-batches' sums, added up."""
        return torch.stack([self.loss(self.network, own_part(batch, self.network, self.run)) for batch in micro]).sum()

    def save(self, folder: Path) -> None:
        """One file a rank for the optimizer's states, and the weights that train beside them."""
        self.inner.save_checkpoint(str(folder), tag=TAG, save_latest=False, exclude_frozen_parameters=self._frozen)

    def load(self, folder: Path, world_size: int) -> None:
        """The files of as many ranks as they are, those of another number through the universal format."""
        settings = {"load_lr_scheduler_states": False, "load_module_strict": not self._frozen}
        if world_size == self.run.world_size:
            self.inner.load_checkpoint(str(folder), tag=TAG, **settings)
            return
        with universal.converted(folder / TAG, self.run) as files:
            self.inner._config.load_universal_checkpoint = True
            self.inner.load_checkpoint(str(files.parent), tag=TAG, **settings)
            self.inner._config.load_universal_checkpoint = False
        # ZeRO-3 gives all groups one and the same counter of steps, which each of them would raise.
        for state in self.optimizer.state.values():
            state["step"] = copy.deepcopy(state["step"])

    @property
    def _frozen(self) -> bool:
        """Whether some of the weights do not train: they come from where they came from before."""
        return any(not entry.requires_grad for entry in self.network.model.parameters())
