"""Compiles the layers with torch.compile.

Layer by layer, as torchtitan does (Liang et al. 2024, arXiv:2410.06511): equal layers share one compilation, and a strategy's hooks
around a layer stay outside of it.
"""

from __future__ import annotations

import os
import shutil

import torch
from transformers import PreTrainedModel

from .errors import StageError
from .layers import decoder_layers
from .planfile import RunPlan
from .stage import Run

# CUDA graphs come with `reduce_overhead` only.
MODES = {"default": "default", "reduce_overhead": "reduce-overhead", "max_autotune": "max-autotune-no-cudagraphs"}


def compile_layers(model: PreTrainedModel, run: Run, plan: RunPlan) -> None:
    """Replaces each layer's forward pass by a compiled one, in place: modules and names stay.

    Comes after recomputation, so that the compiler sees what is computed again, and before the model is spread.
    """
    _refuse_without_compiler(run.device)
    for layer in decoder_layers(model):
        layer.forward = torch.compile(layer.forward, mode=MODES[plan.compile or "default"])


def _refuse_without_compiler(device: torch.device) -> None:
    compiler = os.environ.get("CXX", "g++")
    if device.type == "cpu" and shutil.which(compiler) is None:
        raise StageError(
            f"compiling layers for the CPU needs a C++ compiler and `{compiler}` is not there: install it, or set compile = false"
        )
