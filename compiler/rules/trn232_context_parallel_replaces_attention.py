"""TRN232: another `attention` than `sdpa` on a mesh that splits sequences.

Why: with `cp` attention goes over ranks, by `cp_method`, and takes fused kernels by itself; what `attention` asks for would be
ignored. Other systems fail in the first step (axolotl-ai-cloud/axolotl#3173).
Example:
  mesh wide { dp_shard = 8, cp = 2 }
  model small { attention = eager }
Instead:
  model small { attention = sdpa }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for the default; TRN235 speaks of families that cannot have it."""
    attention, mesh = stage.model.attention, stage.mesh
    if mesh.cp > 1 and attention != "sdpa" and family(stage.model.architecture.family).fused_attention:
        yield Finding(
            at="model.attention",
            message=f"`cp` {mesh.cp} brings an attention of its own, `{mesh.cp_method}`: `{attention}` would be ignored",
            help="set `attention = sdpa`, or `cp = 1`",
            also={"mesh.cp": f"`cp` is {mesh.cp}"},
        )
