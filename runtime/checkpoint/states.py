"""Weights and moments on disk, for engines that step with torch's optimizers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict

from ..network import Network


def write(network: Network, optimizer: torch.optim.Optimizer, folder: Path) -> None:
    """Each rank's part, in torch's distributed format."""
    content, _ = _tensors(network, optimizer)
    dcp.save(content, checkpoint_id=folder)


def read(network: Network, optimizer: torch.optim.Optimizer, folder: Path) -> None:
    """Each rank's part, whatever the number of ranks that wrote it."""
    content, groups = _tensors(network, optimizer)
    dcp.load(content, checkpoint_id=folder)
    moments = {"state": content["optimizer"], "param_groups": groups}
    set_state_dict(
        network.module, optimizer, model_state_dict=content["model"], optim_state_dict=moments, options=_options(network)
    )


def _tensors(network: Network, optimizer: torch.optim.Optimizer) -> tuple[dict[str, Any], Any]:
    """This rank's weights and moments by name; and the optimizer's settings, which the plan gives and no checkpoint holds."""
    options = _options(network)
    weights, moments = get_state_dict(network.module, optimizer, options=options)
    tied = type(network.model)._tied_weights_keys or () if options.ignore_frozen_params else ()
    # torch leaves a frozen matrix out under one of its names only.
    weights = {name: tensor for name, tensor in weights.items() if name not in tied}
    return {"model": weights, "optimizer": moments["state"]}, moments["param_groups"]


def _options(network: Network) -> StateDictOptions:
    """Weights that do not train come from where they came from before: no checkpoint repeats them."""
    frozen = any(not entry.requires_grad for entry in network.model.parameters())
    return StateDictOptions(ignore_frozen_params=frozen, strict=not frozen)
