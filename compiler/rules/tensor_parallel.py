"""What tensor parallelism asks for: the ranks of a group lie in one node, and share every size of the model evenly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..spec import StageSpec
from . import Finding
from .choices import divisors, one_of


def shared_sizes(stage: StageSpec) -> Mapping[str, int]:
    """The sizes of the architecture that the ranks of a group divide among them, by field."""
    architecture = stage.model.architecture
    return {
        "heads": architecture.heads,
        "kv_heads": architecture.kv_heads or architecture.heads,
        "hidden": architecture.hidden,
        "ffn": architecture.ffn,
        "vocab": architecture.vocab,
    }


def legal_degrees(stage: StageSpec) -> list[int]:
    """The degrees that divide a node's GPUs and every shared size, ascending; 1 only where no other does."""
    sizes = shared_sizes(stage).values()
    found = [tp for tp in divisors(stage.mesh.cluster.gpus_per_node) if all(size % tp == 0 for size in sizes)]
    return found[1:] or found


def uneven(stage: StageSpec, field: str) -> Iterator[Finding]:
    """A finding where `tp` does not divide a size of the architecture; TRN201 or TRN202 speaks of a degree that fits no node."""
    size, tp = shared_sizes(stage)[field], stage.mesh.tp
    if size % tp and stage.mesh.cluster.gpus_per_node % tp == 0:
        yield Finding(
            at="mesh.tp",
            message=f"`tp` {tp} does not divide `{field}` {size} of `{stage.model.name}`",
            help=f"set {one_of('tp', legal_degrees(stage))}, which divide every size of the model",
            also={f"model.architecture.{field}": f"`{field}` is {size}"},
        )
