"""TRN208: a pipeline of more groups of layers, `pp` x `virtual_stages`, than there are layers.

Why: a pipeline stage without a layer has nothing to compute, and frameworks stop at the build of the pipeline
(NVIDIA/Megatron-LM#381, modelscope/ms-swift#5737).
Example:
  mesh wide { dp_shard = 1, pp = 16 }
  model small { architecture { layers = 12 } }
Instead:
  mesh wide { dp_shard = 4, pp = 4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .choices import divisors


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the pipeline's stages with the decoder's layers."""
    mesh, layers = stage.mesh, stage.model.architecture.layers
    if mesh.parts <= layers or mesh.pp == 1:
        return
    even = max(
        degree for degree in divisors(mesh.cluster.world_size) if layers % (degree * mesh.virtual_stages) == 0 or degree == 1
    )
    groups = f"`pp` {mesh.pp}" + (f" x `virtual_stages` {mesh.virtual_stages}" if mesh.virtual_stages > 1 else "")
    yield Finding(
        at="mesh.pp",
        message=f"{groups} is more than the {layers} layers of `{stage.model.name}`",
        help=f"set `pp = {even}`, the most that gives every stage as many layers",
        also={"model.architecture.layers": f"`layers` is {layers}"},
    )
