"""TRN215: `sequence_parallel` on a mesh without tensor parallelism.

Why: it splits what stands between the matrices over the ranks of `tp`; with `tp` 1 it would be ignored, and the memory it promises
never be saved; frameworks turn it off without a word (verl-project/verl#1050).
Example:
  mesh wide { sequence_parallel = true }
Instead:
  mesh wide { dp_shard = 8, tp = 2, sequence_parallel = true }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for ranks to split over."""
    mesh = stage.mesh
    if mesh.sequence_parallel and mesh.tp == 1:
        yield Finding(
            at="mesh.sequence_parallel",
            message=f"`sequence_parallel` splits over the ranks of `tp`, which is 1 in `{mesh.name}`",
            help="set `tp`, or leave `sequence_parallel` out",
        )
