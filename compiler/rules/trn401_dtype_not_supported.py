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

from ..spec import StageSpec
from . import Finding

# The widest support first among those that need no loss scaling.
PREFERRED = ("bf16", "fp32", "fp16")


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks up the dtypes of computation and of storage; gradients are summed in software where need be."""
    gpu, precision = stage.mesh.cluster.gpu, stage.precision
    for field, dtype in (("compute", precision.compute), ("params", precision.params)):
        if dtype in gpu.dtypes:
            continue
        other = next((dtype for dtype in PREFERRED if dtype in gpu.dtypes), None)
        yield Finding(
            at=f"precision.{field}",
            message=f"`{field}` is {dtype}, `{gpu.name}` has {', '.join(gpu.dtypes)}",
            help=f"set `{field} = {other}`" if other else "take another GPU",
            also={"mesh.cluster.gpu.dtypes": f"the dtypes of `{gpu.name}`"},
        )
