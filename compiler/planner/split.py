"""How many layers each part of a pipeline gets.

What a part costs is counted in layers' worth of work. The head's is its operations. The embedding's is one layer, though it
computes next to nothing: its gradient and its step are work, and the first rank keeps most micro-batches. Llama 3's training took a
layer from the first and from the last part for such reasons (Dubey et al. 2024, arXiv:2407.21783, section 3.3.2). Leading dense
layers cost their operations too, in worth of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, combinations

from ..families import family
from ..spec import ArchitectureSpec, StageSpec
from .layers import leading

EMBEDDING = 1.0


def plan_split(stage: StageSpec) -> tuple[int, ...]:
    """Layers of each part in order: those that the spec gives, or balanced ones; all in one part without a pipeline."""
    if stage.mesh.split is not None:
        return tuple(stage.mesh.split)
    architecture, parts = stage.model.architecture, stage.mesh.parts
    dense, worth = leading(architecture), dense_worth(stage)
    if not dense or worth == 1.0:
        return balanced(architecture.layers, parts, EMBEDDING, head_worth(stage))
    costs = [worth] * dense + [1.0] * (architecture.layers - dense)
    costs[0] += EMBEDDING
    costs[-1] += head_worth(stage)
    return packed(costs, parts)


def balanced(layers: int, parts: int, embedding: float, head: float) -> tuple[int, ...]:
    """The split whose costliest part costs least; every part has a layer."""
    counts, costs = [1] * parts, [1.0] * parts
    costs[0] += embedding
    costs[-1] += head
    for _ in range(layers - parts):
        # Of equals the later one: it keeps fewer micro-batches.
        lightest = min(range(parts), key=lambda part: (costs[part], -part))
        counts[lightest] += 1
        costs[lightest] += 1
    return tuple(counts)


def packed(costs: Sequence[float], parts: int) -> tuple[int, ...]:
    """The split of layers of these costs whose costliest part costs least; later parts are filled first."""
    sums = [0.0, *accumulate(costs)]
    # Some part costs the limit: it is the sum of layers in a row.
    limits = sorted({last - first for first, last in combinations(sums, 2)})
    low, high = 0, len(limits) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _filled(costs, parts, limits[middle]) else (middle + 1, high)
    found = _filled(costs, parts, limits[low])
    assert found is not None, "one part holds everything"
    return found


def _filled(costs: Sequence[float], parts: int, limit: float) -> tuple[int, ...] | None:
    """Layers of each part where none may cost more; None where that takes more parts. Each of the parts has a layer."""
    counts: list[int] = []
    left = len(costs)
    for before in range(parts - 1, -1, -1):
        count, cost = 0, 0.0
        # The sums that limits are made of are rounded otherwise.
        while left > before and cost + costs[left - 1] <= limit + 1e-9:
            left, count, cost = left - 1, count + 1, cost + costs[left - 1]
        if not count:
            return None
        counts.insert(0, count)
    return None if left else tuple(counts)


def head_worth(stage: StageSpec) -> float:
    """The head's operations in layers' worth."""
    return _flops(stage, layers=0) / _of_a_layer(stage)


def dense_worth(stage: StageSpec) -> float:
    """A leading dense layer's operations in worth of the others."""
    return (_flops(stage, layers=1, first_k_dense_replace=1) - _flops(stage, layers=0)) / _of_a_layer(stage)


def _of_a_layer(stage: StageSpec) -> int:
    return _flops(stage, layers=1) - _flops(stage, layers=0)


def _flops(stage: StageSpec, **changes: int) -> int:
    """Operations a token; no layer is dense unless it is said."""
    shape: ArchitectureSpec = stage.model.architecture.replace(**{"first_k_dense_replace": 0, **changes})
    return family(shape.family).flops_per_token(shape, stage.data.sequence)
