"""Puts one of PEFT's adapters into a transformers model: names of what it wraps gain `base_layer`, the model stays what it is."""

from __future__ import annotations

import importlib
from typing import Any

from transformers import PreTrainedModel

from ..errors import StageError
from ..planfile import RunAdapter

# PEFT keeps several adapters a model apart by name.
NAME = "default"


def inject(model: PreTrainedModel, settings: RunAdapter) -> None:
    """Freezes the model and adds what trains; on the meta device as on any other."""
    configuration = configure(model, settings)
    from peft import inject_adapter_in_model

    inject_adapter_in_model(configuration, model, NAME)
    count = sum(entry.numel() for entry in model.parameters() if entry.requires_grad)
    if count != settings.parameters:
        raise StageError(f"the adapter has {count} parameters, the plan was compiled for {settings.parameters}: compile again")


def configure(model: PreTrainedModel, settings: RunAdapter) -> Any:
    """PEFT's configuration of an adapter for this model."""
    module = importlib.import_module(f".{settings.name}", __package__)
    try:
        return module.configuration(model, settings)
    except ImportError as fault:
        raise StageError(f"adapter `{settings.name}` needs the package `peft`: pip install -r requirements.txt") from fault
