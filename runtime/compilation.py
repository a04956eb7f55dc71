"""Compiles the layers with torch.compile.

Layer by layer, as torchtitan does (Liang et al. 2024, arXiv:2410.06511): equal layers share one compilation, and a strategy's hooks
around a layer stay outside of it.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

import torch
from torch import nn
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointWrapper
from transformers import PreTrainedModel

from .errors import StageError
from .layers import own_layers
from .planfile import RunPlan
from .stage import Run

# CUDA graphs come with `reduce_overhead` only.
MODES = {"default": "default", "reduce_overhead": "reduce-overhead", "max_autotune": "max-autotune-no-cudagraphs"}


def compile_layers(model: PreTrainedModel, run: Run, plan: RunPlan) -> None:
    """Replaces each layer's forward pass by a compiled one, in place: modules and names stay.

    Comes after recomputation and before the model is spread.
    """
    refuse_without_compiler(run.device, "compiling layers", "compile = false")
    for layer in own_layers(model).values():
        _compile(_compiled_part(layer, plan), MODES[plan.compile or "default"])


def _compiled_part(layer: nn.Module, plan: RunPlan) -> nn.Module:
    """A selection by operations is the compiler's to make; whole layers are computed again around it.

    torch 2.13 cannot save what a compiled recomputation of a layer with distributed parameters keeps.
    """
    whole = plan.recompute == "full" and isinstance(layer, CheckpointWrapper)
    return layer._checkpoint_wrapped_module if whole else layer


def _compile(module: nn.Module, mode: str) -> None:
    compiled = torch.compile(module.forward, mode=mode)

    def forward(*arguments: Any, **named: Any) -> Any:
        # The compiler takes such a tensor apart, and gradients then leave out how it came to be; a copy waits for the tensor.
        arrived = [value.clone() if isinstance(value, AsyncCollectiveTensor) else value for value in arguments]
        return compiled(*arrived, **named)

    module.forward = forward


def refuse_without_compiler(device: torch.device, what: str, instead: str) -> None:
    """Says in one sentence that something cannot be compiled here, and what to set instead."""
    compiler = os.environ.get("CXX", "g++")
    if device.type == "cpu" and shutil.which(compiler) is None:
        raise StageError(f"{what} for the CPU needs a C++ compiler and `{compiler}` is not there: install it, or set {instead}")
