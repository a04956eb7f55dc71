"""Matrices that multiply in fp8 (Micikevicius et al. 2022, arXiv:2209.05433), by torchao's float8 training."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import torch
from torch import nn
from transformers import PreTrainedModel

from .errors import StageError
from .layers import decoder_layers
from .planfile import RunPlan
from .stage import Run

# Ada and Hopper are the first with fp8 matrix units.
ADA = (8, 9)


def convert(model: PreTrainedModel, run: Run, plan: RunPlan) -> None:
    """Makes every matrix of the layers, and no other, multiply in fp8; comes before anything spreads them.

    Weights stay what they are and are cast as they are used. The head stays in bf16: its errors go into the loss at once, which is
    why torchtitan leaves it out too.
    """
    _refuse_unsupported(run.device)
    from torchao.float8 import Float8LinearConfig, convert_to_float8_training

    config = Float8LinearConfig.from_recipe_name(plan.precision.fp8_recipe)
    # A CPU has no fp8 matrix units: there the casts are real and the products are made of what they left.
    config = replace(config, emulate=run.device.type == "cpu")
    for layer in decoder_layers(model):
        if not any(isinstance(module, nn.Linear) for module in layer.modules()):
            raise StageError(f"{type(layer).__name__} has no matrices that torchao can make fp8: set compute = bf16")
        convert_to_float8_training(layer, config=config)


def _refuse_unsupported(device: torch.device) -> None:
    if importlib.util.find_spec("torchao") is None:
        raise StageError("fp8 needs the package torchao: install it, or set compute = bf16")
    if device.type == "cuda" and torch.version.hip is None and torch.cuda.get_device_capability(device) < ADA:
        raise StageError(f"{torch.cuda.get_device_name(device)} has no fp8 matrix units: set compute = bf16")
