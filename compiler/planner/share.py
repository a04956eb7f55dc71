"""What one rank holds of a model and of sequences that the mesh splits."""

from __future__ import annotations

from ..spec import ArchitectureSpec, StageSpec


def of_one_rank(stage: StageSpec) -> StageSpec:
    """The stage as one rank sees it: an architecture with its share of heads, of the feed-forward block and of the vocabulary.

    Norms and the stream between the matrices stay whole. Of a sequence it has the part that cp leaves.
    """
    cp, tp = stage.mesh.cp, stage.mesh.tp
    if cp > 1:
        stage = stage.replace(data=stage.data.replace(sequence=stage.data.sequence // cp))
    if tp == 1:
        return stage
    return stage.replace(model=stage.model.replace(architecture=_sliced(stage.model.architecture, tp)))


def _sliced(architecture: ArchitectureSpec, tp: int) -> ArchitectureSpec:
    return architecture.replace(
        # The width of a head follows from the whole model.
        head_dim=architecture.head_dim or architecture.hidden // architecture.heads,
        heads=architecture.heads // tp,
        kv_heads=(architecture.kv_heads or architecture.heads) // tp,
        ffn=architecture.ffn // tp,
        vocab=architecture.vocab // tp,
    )
