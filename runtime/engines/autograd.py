"""One micro-batch after the other through torch's autograd."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch.optim.lr_scheduler import LambdaLR

from ..checkpoint import states
from ..data import Batch
from ..network import Network
from ..scaling import LossScale
from ..stage import Run
from .share import cut_losses, own_part
from .update import take_step

LossFunction = Callable[[Network, Batch], torch.Tensor]


@dataclass(frozen=True, slots=True)
class Autograd:
    """The engine of every stage without pipeline axis."""

    run: Run
    network: Network
    loss: LossFunction
    optimizer: torch.optim.Optimizer
    schedule: LambdaLR
    scaling: LossScale = field(default_factory=LossScale)
    evaluates: int = 1

    def accumulate(self, micro: list[Batch], targets: int) -> torch.Tensor:
        """Strategies average gradients over the ranks that see different tokens: the sum is scaled by their number."""
        meshes = self.run.meshes
        scale = self.scaling.value * meshes.size("dp") * meshes.size("cp") / max(1, targets)
        losses = []
        for number, batch in enumerate(micro, start=1):
            with self.network.exchange(number == len(micro)), cut_losses(self.run):
                summed = self.loss(self.network, own_part(batch, self.network, self.run))
                (summed * scale).backward()
            losses.append(summed.detach())
        return torch.stack(losses) / meshes.size("tp")

    def update(self) -> float:
        """Clips and steps."""
        return take_step(self.run, self.network, self.optimizer, self.schedule, self.scaling)

    def drop(self) -> None:
        """The rate is the next step's."""
        self.optimizer.zero_grad()
        self.network.stepped(False)
        self.schedule.step()

    def evaluate(self, micro: list[Batch]) -> torch.Tensor:
        """The micro-batches' sums, added up."""
        with cut_losses(self.run):
            losses = [self.loss(self.network, own_part(batch, self.network, self.run)) for batch in micro]
        return torch.stack(losses).sum() / self.run.meshes.size("tp")

    def save(self, folder: Path) -> None:
        """In torch's distributed format."""
        states.write(self.network, self.optimizer, folder)

    def load(self, folder: Path, world_size: int) -> None:
        """From any number of ranks."""
        states.read(self.network, self.optimizer, folder)
