"""What turns batches into steps, one file an engine; the trainer knows the protocol only."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import torch
from torch.optim.lr_scheduler import LambdaLR

from ..data import Batch
from ..network import Network
from ..scaling import LossScale


class Engine(Protocol):
    """A network with its optimizer and its schedule.

    A rank's share of a loss is what it adds to the sum over all ranks: ranks that compute the same part share it evenly.
    """

    network: Network
    optimizer: torch.optim.Optimizer
    schedule: LambdaLR
    scaling: LossScale

    def accumulate(self, micro: list[Batch], targets: int) -> torch.Tensor:
        """Adds up the gradients of the mean loss over `targets` tokens; this rank's share of each micro-batch's summed loss."""

    def update(self) -> float:
        """Changes the weights; returns the gradient norm before clipping. The weights stay where it is not finite."""

    def drop(self) -> None:
        """Forgets the gradients of a step that is left out; the schedule goes on."""

    def evaluate(self, micro: list[Batch]) -> torch.Tensor:
        """This rank's share of the summed loss over as many micro-batches as `evaluates`."""

    def save(self, folder: Path) -> None:
        """Writes weights and optimizer states into a checkpoint's folder; every rank calls it."""

    def load(self, folder: Path, world_size: int) -> None:
        """Reads them from a checkpoint that so many ranks wrote."""

    @property
    def evaluates(self) -> int:
        """Micro-batches an evaluation takes at once."""
