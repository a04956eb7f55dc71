"""TRN233: context parallelism on a mesh with a pipeline.

Why: each group of layers would need its part of the sequences, their positions and their documents, which this version hands to
models that are whole; a pipeline that does not know of split sequences passes on shapes that are wrong (NVIDIA/Megatron-LM#571).
Example:
  mesh wide { dp_shard = 4, cp = 2, pp = 2 }
Instead:
  mesh wide { dp_shard = 8, cp = 2, pp = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for one of the two."""
    mesh = stage.mesh
    if mesh.cp > 1 and mesh.pp > 1:
        yield Finding(
            at="mesh.cp",
            message=f"`cp` {mesh.cp} does not go together with `pp` {mesh.pp} yet",
            help="set `cp = 1` and a larger `pp`; or `pp = 1`, with `dp_shard` or `tp` in its place",
            also={"mesh.pp": f"`pp` is {mesh.pp}"},
        )
