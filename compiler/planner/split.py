"""How many layers each part of a pipeline gets.

What a part costs is counted in layers' worth of work. The head's is its operations. The embedding's is one layer, though it
computes next to nothing: its gradient and its step are work, and the first rank keeps most micro-batches. Llama 3's training took a
layer from the first and from the last part for such reasons (Dubey et al. 2024, arXiv:2407.21783, section 3.3.2).
"""

from __future__ import annotations

from ..families import family
from ..spec import StageSpec

EMBEDDING = 1.0


def plan_split(stage: StageSpec) -> tuple[int, ...]:
    """Layers of each part in order: those that the spec gives, or balanced ones; all in one part without a pipeline."""
    if stage.mesh.split is not None:
        return tuple(stage.mesh.split)
    return balanced(stage.model.architecture.layers, stage.mesh.parts, EMBEDDING, head_worth(stage))


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


def head_worth(stage: StageSpec) -> float:
    """The head's operations in layers' worth."""
    shape, sequence = stage.model.architecture, stage.data.sequence
    one, two = (family(shape.family).flops_per_token(shape.replace(layers=layers), sequence) for layers in (1, 2))
    return (one - (two - one)) / (two - one)
