"""Weights and moments on disk, for engines that step with torch's optimizers."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from ..network import Network


def write(network: Network, optimizer: torch.optim.Optimizer, folder: Path) -> None:
    """Each rank's part, in torch's distributed format."""
    weights, moments = get_state_dict(network.module, optimizer)
    dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=folder)


def read(network: Network, optimizer: torch.optim.Optimizer, folder: Path) -> None:
    """Each rank's part, whatever the number of ranks that wrote it."""
    weights, moments = get_state_dict(network.module, optimizer)
    dcp.load({"model": weights, "optimizer": moments}, checkpoint_id=folder)
    set_state_dict(network.module, optimizer, model_state_dict=weights, optim_state_dict=moments)
