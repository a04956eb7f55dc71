"""TRN216: the ranks that share a sequence cannot have equal parts of it.

Why: each rank takes an equal piece of every sample's tokens; frameworks fail at a reshape when the first batch comes
(pytorch/torchtitan#1306).
Example:
  mesh wide { dp_shard = 2, tp = 8, sequence_parallel = true }
  data corpus { sequence = 2044 }
Instead:
  data corpus { sequence = 2048 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the sequence by the ranks that take a piece of it."""
    mesh, sequence = stage.mesh, stage.data.sequence
    parts = mesh.tp if mesh.sequence_parallel else 1
    if sequence % parts == 0:
        return
    yield Finding(
        at="data.sequence",
        message=f"{parts} ranks share a sequence, and {parts} does not divide `sequence` {sequence}",
        help=f"set `sequence = {sequence // parts * parts or parts}`",
        also={"mesh.tp": f"`tp` is {mesh.tp}"},
    )
