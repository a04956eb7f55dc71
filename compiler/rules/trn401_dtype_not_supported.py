"""TRN401: a dtype that the GPU does not have.

Why: torch refuses it in the first step, or emulates it many times slower (InternLM/lmdeploy#1266); accelerate falls back to another
dtype with a line in the log (huggingface/accelerate#1348).
Example:
  gpu h100 { compute_capability = 7.0, dtypes = [fp32, fp16] }
  precision mixed { compute = bf16 }
Instead:
  precision mixed { compute = fp32 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import GpuSpec, StageSpec
from . import Finding

# The widest support first among those that need no loss scaling.
PREFERRED = ("bf16", "fp32", "fp16")

# Ampere, and Ada with Hopper.
_SINCE = {"bf16": 8.0, "fp8": 8.9}


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks up the dtypes of computation and of storage; gradients are summed in software where need be."""
    gpu, precision = stage.mesh.cluster.gpu, stage.precision
    supported = _supported(gpu)
    for field, dtype in (("compute", precision.compute), ("params", precision.params)):
        if dtype in supported:
            continue
        other = next((dtype for dtype in PREFERRED if dtype in supported), None)
        yield Finding(
            at=f"precision.{field}",
            message=f"`{field}` is {dtype}, `{gpu.name}` has {', '.join(supported)}",
            help=f"set `{field} = {other}`" if other else "take another GPU",
            also={"mesh.cluster.gpu.dtypes": f"the dtypes of `{gpu.name}`"},
        )


def _supported(gpu: GpuSpec) -> list[str]:
    """The dtypes that the GPU lists, without those that matrix units of its compute capability do not have."""
    capability = gpu.compute_capability if gpu.vendor == "nvidia" else None
    return [dtype for dtype in gpu.dtypes if capability is None or capability >= _SINCE.get(dtype, 0)]
