"""TRN216: the ranks that share a sequence cannot have equal parts of it.

Why: each rank takes an equal piece of every sample's tokens, two of `ring`, of which `sequence_parallel` takes pieces again;
frameworks fail at a reshape when the first batch comes (pytorch/torchtitan#1306), or ask for padding that their masks then get
wrong (NVIDIA/Megatron-LM#1669).
Example:
  mesh wide { dp_shard = 2, tp = 8, sequence_parallel = true }
  data corpus { sequence = 2044 }
Instead:
  data corpus { sequence = 2048 }
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the sequence by the ranks that take a piece of it."""
    mesh, sequence = stage.mesh, stage.data.sequence
    inner = mesh.tp if mesh.sequence_parallel else 1
    pieces = 2 if mesh.cp > 1 and mesh.cp_method == "ring" else 1
    unit = mesh.cp * math.lcm(inner, pieces)
    if sequence % unit == 0:
        return
    shares = f"{mesh.cp * inner} ranks share a sequence" + (" in two pieces each" if pieces == 2 else "")
    axis = "cp" if mesh.cp > 1 else "tp"
    yield Finding(
        at="data.sequence",
        message=f"{shares}, and {unit} does not divide `sequence` {sequence}",
        help=f"set `sequence = {sequence // unit * unit or unit}`",
        also={f"mesh.{axis}": f"`{axis}` is {getattr(mesh, axis)}"},
    )
