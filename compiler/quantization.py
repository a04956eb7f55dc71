"""Arithmetic of frozen matrices in few bits: which they are, and what they take.

nf4 stores two entries a byte and a scale for each 64, in float32; quantised in their turn, scales are a byte each, with a float32
for each 256 and one for their mean (Dettmers et al. 2023, arXiv:2305.14314, section 3). int8 stores a byte an entry and a float32 a
row (Dettmers et al. 2022, arXiv:2208.07339, section 2.1).
"""

from __future__ import annotations

from typing import Any

from .families import family
from .families.parts.matrices import Matrix
from .spec import ArchitectureSpec, ModelSpec

BLOCK, NESTED = 64, 256


def double(model: ModelSpec) -> bool | None:
    """Whether scales are quantised too; None where they cannot be."""
    return model.double_quantization is not False if model.quantization == "nf4" else None


def layer_parameters(model: ModelSpec) -> int:
    """What one layer has in few bits: its matrices, without experts, which are parameters of their block."""
    return sum(matrix.inputs * matrix.outputs for matrix in _matrices(model))


def layer_bytes(model: ModelSpec) -> int:
    """Bytes of those, scales included."""
    return sum(_bytes(model, matrix) for matrix in _matrices(model))


def whole_bytes(model: ModelSpec, compute: int) -> int:
    """Bytes of the largest of them, made whole, and of the scales that make it so."""
    sizes = (compute * matrix.inputs * matrix.outputs + 4 * _scales(model, matrix) for matrix in _matrices(model))
    return max(sizes, default=0)


def facts(model: ModelSpec) -> dict[str, Any] | None:
    """How plan.json says it; null for a model whose matrices stay whole."""
    if model.quantization == "none":
        return None
    shape: ArchitectureSpec = model.architecture
    return {"name": model.quantization, "double": double(model), "parameters": shape.layers * layer_parameters(model)}


def _matrices(model: ModelSpec) -> list[Matrix]:
    if model.quantization == "none":
        return []
    return list(family(model.architecture.family).matrices(model.architecture).values())


def _scales(model: ModelSpec, matrix: Matrix) -> int:
    entries = matrix.inputs * matrix.outputs
    return -(-entries // BLOCK) if model.quantization == "nf4" else matrix.outputs


def _bytes(model: ModelSpec, matrix: Matrix) -> int:
    entries, scales = matrix.inputs * matrix.outputs, _scales(model, matrix)
    if model.quantization == "int8":
        return entries + 4 * scales
    own = scales + 4 * (-(-scales // NESTED) + 1) if double(model) else 4 * scales
    return -(-entries // 2) + own
