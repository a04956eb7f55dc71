"""TRN415: flex attention where training may run on a CPU.

Why: torch compiles its forward pass for CPUs but has no backward pass there, which shows in the first step, as a
NotImplementedError (pytorch/pytorch#169224, pytorch/pytorch#148752).
Example:
  gpu h100 { vendor = any }
  model small { attention = flex }
Instead:
  model small { attention = sdpa }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a GPU."""
    gpu = stage.mesh.cluster.gpu
    if stage.model.attention == "flex" and gpu.vendor in ("cpu", "any"):
        yield Finding(
            at="model.attention",
            message=f"`flex` trains on GPUs only, `{gpu.name}` {'is' if gpu.vendor == 'cpu' else 'may be'} a CPU",
            help="set `attention = sdpa`, which takes the fastest kernel that there is",
            also={"mesh.cluster.gpu.vendor": f"`vendor` is {gpu.vendor}"},
            set={"model.attention": "sdpa"},
        )
