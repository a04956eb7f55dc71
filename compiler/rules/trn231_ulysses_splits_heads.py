"""TRN231: `ulysses` on ranks that cannot have equal shares of the heads.

Why: each rank of `cp` attends with its own share of the query heads that `tp` leaves; key heads that are fewer than the ranks are
repeated, which works where they divide each other. Frameworks stop at an assertion when the job has its GPUs
(verl-project/verl#1226).
Example:
  mesh wide { dp_shard = 1, tp = 8, cp = 8 }
  cluster prod { nodes = 8 }
Instead:
  mesh wide { dp_shard = 1, tp = 8, cp = 8, cp_method = ring }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the heads; TRN203 and TRN204 speak of those that `tp` does not."""
    mesh, architecture = stage.mesh, stage.model.architecture
    if mesh.cp == 1 or mesh.cp_method != "ulysses":
        return
    for field, heads in (("heads", architecture.heads), ("kv_heads", architecture.kv_heads or architecture.heads)):
        left, kind = heads // mesh.tp, "key heads" if field == "kv_heads" else "heads"
        fits = left % mesh.cp == 0 or (field == "kv_heads" and left and mesh.cp % left == 0)
        if heads % mesh.tp or fits:
            continue
        yield Finding(
            at="mesh.cp",
            message=f"`ulysses` shares {left} {kind} a rank of `tp`, which `cp` {mesh.cp} does not divide",
            help="set `cp_method = ring`, which splits no heads; or another `cp`",
            also={f"model.architecture.{field}": f"`{field}` is {heads}", "mesh.tp": f"`tp` is {mesh.tp}"},
        )
        return
