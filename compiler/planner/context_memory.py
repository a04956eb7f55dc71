"""What attention over a split sequence keeps beside what fused attention does, `mesh.cp`."""

from __future__ import annotations

from ..spec import StageSpec


def saved_bytes_per_token(stage: StageSpec, compute: int) -> int:
    """Bytes a token of a rank's part that one layer keeps beside; the stage is one rank's.

    `ring` keeps what fused attention keeps. `ulysses` keeps queries, keys and values after the exchange and the output on both
    sides of its own, key heads repeated where ranks are more; with documents, a mask of the whole sequence for the rank's heads,
    in the compute dtype, and key heads repeated for their queries.
    """
    if stage.mesh.cp_method == "ring":
        return 0
    shape, cp = stage.model.architecture, stage.mesh.cp
    width = shape.head_dim or shape.hidden // shape.heads
    kv_heads = shape.kv_heads or shape.heads
    held = shape.heads if stage.data.packing else max(kv_heads, cp)
    mask = cp * cp * stage.data.sequence if stage.data.packing else 0
    return compute * (width * shape.heads + 2 * width * (held - kv_heads) + mask)
