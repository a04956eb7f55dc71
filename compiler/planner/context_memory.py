"""What attention over a split sequence keeps beside what fused attention does; stages here are as one rank sees them."""

from __future__ import annotations

from ..families import family
from ..spec import StageSpec


def saved_bytes_per_token(stage: StageSpec, compute: int) -> int:
    """Bytes a token of a rank's part that one layer keeps beside.

    `ring` keeps what fused attention keeps. `ulysses` keeps the output on both sides of its exchange, and key heads that are
    repeated for ranks; with documents a mask of whole sequences, in the compute dtype, and key heads repeated for their queries.
    """
    if stage.mesh.cp_method == "ring":
        return 0
    shape, cp = stage.model.architecture, stage.mesh.cp
    kv_heads = shape.kv_heads or shape.heads
    held = shape.heads if stage.data.packing else max(kv_heads, cp)
    mask = cp * cp * stage.data.sequence if stage.data.packing else 0
    *_, outputs = family(shape.family).attention_widths(shape)
    return compute * (outputs + 2 * _width(stage) * (held - kv_heads) + mask)


def exchanged_bytes_per_token(stage: StageSpec, compute: int) -> int:
    """Bytes a token of what one layer receives in exchanges, which selective recomputation keeps: both of `ulysses`."""
    shape, cp = stage.model.architecture, stage.mesh.cp
    if cp == 1 or stage.mesh.cp_method == "ring":
        return 0
    queries, keys, values, outputs = family(shape.family).attention_widths(shape)
    # Key heads are repeated for ranks that have none.
    repeated = max(1, cp // (shape.kv_heads or shape.heads))
    return compute * (queries + outputs + repeated * (keys + values))


def _width(stage: StageSpec) -> int:
    shape = stage.model.architecture
    return shape.head_dim or shape.hidden // shape.heads
