"""TRN234: `cp_method` on a mesh whose ranks share no sequence.

Why: it says how the ranks of `cp` attend to each other's tokens; with `cp` 1 it would be ignored, and the long sequences it was
meant for run out of memory. Settings of context parallelism that do nothing go unnoticed elsewhere (alibaba/ChatLearn#189).
Example:
  mesh wide { cp_method = ring }
Instead:
  mesh wide { dp_shard = 8, cp = 2, cp_method = ring }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import MeshSpec, StageSpec
from . import Finding

DEFAULT = MeshSpec.settings["cp_method"].default


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for ranks that share."""
    mesh = stage.mesh
    if mesh.cp == 1 and mesh.cp_method != DEFAULT:
        yield Finding(
            at="mesh.cp_method",
            message=f"`{mesh.cp_method}` is for the ranks of `cp`, which is 1 in `{mesh.name}`",
            help="set `cp`, or leave `cp_method` out",
        )
