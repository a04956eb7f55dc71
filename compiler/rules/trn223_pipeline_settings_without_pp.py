"""TRN223: `schedule`, `virtual_stages` or `split` on a mesh without a pipeline.

Why: with `pp` 1 all layers are on every rank and the setting would be ignored. What a pipeline of one rank means is a matter of the
framework: one took its pipeline's way through training all the same (EleutherAI/gpt-neox#1172).
Example:
  mesh wide { schedule = gpipe }
Instead:
  mesh wide { dp_shard = 4, pp = 4, schedule = gpipe }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import MeshSpec, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a pipeline where one is described."""
    mesh = stage.mesh
    if mesh.pp > 1:
        return
    for field in ("schedule", "virtual_stages", "split"):
        if getattr(mesh, field) != MeshSpec.settings[field].default:
            yield Finding(
                at=f"mesh.{field}",
                message=f"`{field}` describes a pipeline, and `pp` is 1 in `{mesh.name}`",
                help=f"set `pp`, or leave `{field}` out",
            )
