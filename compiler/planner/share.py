"""What one rank holds of a model that the mesh splits."""

from __future__ import annotations

from ..spec import ArchitectureSpec, StageSpec


def of_one_rank(stage: StageSpec) -> StageSpec:
    """The stage as one rank sees it: an architecture with its share of heads, of the feed-forward block and of the vocabulary.

    Norms and the stream between the matrices stay whole. Experts are left as they are: fsdp2 shards what the ranks of ep hold over
    the others, so that a rank stores as much with and without; `gathered` counts them where they are gathered.
    """
    tp = stage.mesh.tp
    if tp == 1:
        return stage
    return stage.replace(model=stage.model.replace(architecture=_sliced(stage.model.architecture, tp)))


def gathered(stage: StageSpec) -> ArchitectureSpec:
    """The architecture of a layer whose shards have come together, of a stage as one rank sees it: a rank's own experts."""
    architecture = stage.model.architecture
    return architecture.replace(experts=architecture.experts // stage.mesh.ep)


def _sliced(architecture: ArchitectureSpec, tp: int) -> ArchitectureSpec:
    return architecture.replace(
        # The width of a head follows from the whole model.
        head_dim=architecture.head_dim or architecture.hidden // architecture.heads,
        heads=architecture.heads // tp,
        kv_heads=(architecture.kv_heads or architecture.heads) // tp,
        ffn=architecture.ffn // tp,
        vocab=architecture.vocab // tp,
    )
