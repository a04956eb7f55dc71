"""Trades compute for memory: activations are computed again in the backward pass instead of kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.utils.checkpoint import SAC_IGNORED_OPS, CheckpointPolicy, create_selective_checkpoint_contexts
from transformers import PreTrainedModel

from .context import ring, ulysses  # noqa: F401 - their operations are named below
from .layers import decoder_layers, own_layers

# What costs most to compute again: products of matrices, and torch's fused attention, which is named otherwise on each device.
_KEPT = {
    torch.ops.aten.mm.default,
    torch.ops.aten.addmm.default,
    torch.ops.aten._grouped_mm.default,
    torch.ops.aten._scaled_mm.default,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default,
    torch.ops.aten._scaled_dot_product_flash_attention.default,
    torch.ops.aten._scaled_dot_product_efficient_attention.default,
    torch.ops.aten._scaled_dot_product_cudnn_attention.default,
    torch.ops.trainc.ring_attention.default,
    torch.ops.trainc.swap.default,
}

# Marks for the profiler, which FSDP2 sets around a unit within a layer: others where it computes again than where it did first.
_MARKS = {torch.ops.profiler._record_function_enter_new.default, torch.ops.profiler._record_function_exit._RecordFunction}


def full(model: PreTrainedModel, every: int) -> None:
    """Keeps only a layer's input, in one layer of `every`.

    Comes before the model is spread: a wrapper around a sharded layer would gather its weights outside the recomputation.
    """
    _wrap(model, every)


def selective(model: PreTrainedModel, every: int) -> None:
    """Keeps, in one layer of `every`, its input and what its matrices and torch's attention made; the rest is computed again.

    The choice by operation is torchtitan's (Liang et al. 2024, arXiv:2410.06511); the saving over `full` is the matrices' work.
    """
    SAC_IGNORED_OPS.update(_MARKS)
    _wrap(model, every, context_fn=lambda: create_selective_checkpoint_contexts(_policy))


def _policy(_context: object, operation: Callable[..., Any], *_: object, **__: object) -> CheckpointPolicy:
    return CheckpointPolicy.MUST_SAVE if operation in _KEPT else CheckpointPolicy.PREFER_RECOMPUTE


def _wrap(model: PreTrainedModel, every: int, **settings: Any) -> None:
    layers = decoder_layers(model)
    for index, layer in own_layers(model).items():
        if (index + 1) % every == 0:
            layers[index] = checkpoint_wrapper(layer, **settings)
