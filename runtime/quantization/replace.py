"""Puts a model's matrices into few bits, and makes them whole again for the export."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import torch
from torch import nn
from transformers import PreTrainedModel

from ..errors import StageError
from ..layers import decoder_layers
from ..network import DTYPES
from ..planfile import RunPlan, RunQuantization
from .linear import QuantisedLinear
from .prequantised import are_prequantised
from .storage import Parts, storage


def apply(model: PreTrainedModel, plan: RunPlan) -> None:
    """Replaces the matrices of the layers on the meta device; head and embeddings stay whole."""
    settings = plan.model.quantization
    assert settings is not None, "only a plan with one calls this"
    kept, count = storage(settings), 0
    for name, matrix in list(_matrices(model)):
        parts = {
            part: torch.empty(size, dtype=torch.uint8, device="meta") for part, size in kept.sizes(matrix.weight.shape).items()
        }
        model.set_submodule(name, QuantisedLinear(matrix, parts, kept, DTYPES[plan.precision.compute]))
        count += matrix.weight.numel()
    if count != settings.parameters:
        raise StageError(
            f"the layers' matrices have {count} parameters, the plan was compiled to quantise {settings.parameters}: compile again"
        )


def quantise(model: PreTrainedModel, settings: RunQuantization, device: torch.device, dtype: torch.dtype) -> None:
    """Replaces those of a model in host memory one by one; `device` does the work. Prequantised ones are taken as they are.

    What stays whole becomes `dtype`.
    """
    kept, before = storage(settings), are_prequantised(matrix for _, matrix in _matrices(model))
    # By name, so that each whole matrix goes when its parts are there.
    for name in [name for name, _ in _matrices(model)]:
        matrix = cast(nn.Linear, model.get_submodule(name))
        parts = kept.packed_before(matrix) if before else kept.pack(matrix.weight.detach().to(device))
        on_host = {part: tensor.cpu() for part, tensor in parts.items()}
        model.set_submodule(name, QuantisedLinear(matrix, on_host, kept, dtype))
    # transformers' own `to` refuses models that were read quantised.
    nn.Module.to(model, dtype)


def put_whole(weights: Parts, model: PreTrainedModel, settings: RunQuantization, dtype: torch.dtype) -> Parts:
    """The weights with whole matrices in place of parts; `model` is one without an adapter, on the meta device."""
    kept, found = storage(settings), dict(weights)
    for name, matrix in _matrices(model):
        shape = matrix.weight.shape
        # An adapter stands before what it wraps.
        place = next(place for place in (name, f"{name}.base_layer") if f"{place}.packed" in found)
        parts = {part: found.pop(f"{place}.{part}") for part in kept.sizes(shape)}
        found[f"{place}.weight"] = kept.unpack(parts, shape, dtype)
    return found


def _matrices(model: PreTrainedModel) -> Iterator[tuple[str, nn.Linear]]:
    layers = decoder_layers(model)
    prefix = next(name for name, module in model.named_modules() if module is layers)
    return ((f"{prefix}.{name}", module) for name, module in layers.named_modules() if isinstance(module, nn.Linear))
