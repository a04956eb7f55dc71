"""TRN701: the predicted peak memory is more than the GPU has.

Why: the job runs out of memory in its first steps, often only when the optimizer allocates its states, after load and data have
cost their time (pytorch/pytorch#29198, NVIDIA-NeMo/Automodel#3907).
Example:
  batch { global = 1024, micro = 64 }
Instead:
  batch { global = 1024, micro = 2 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..plan import StagePlan
from ..units import format_bytes, format_gib
from . import Finding
from .memory_remedies import largest_terms, way_out

WAIVABLE = True


def check_plan(plan: StagePlan) -> Iterator[Finding]:
    """Compares the plan's peak with the memory of one GPU."""
    gpu, peak = plan.spec.mesh.cluster.gpu, plan.memory.peak_bytes
    has = format_gib(gpu.memory)
    if peak > gpu.memory:
        yield Finding(
            at="",
            message=f"`{plan.name}` takes {format_gib(peak)} a GPU, `{gpu.name}` has {has}: {largest_terms(plan)}",
            help=way_out(plan),
            also={"mesh.cluster.gpu.memory": f"`memory` is {format_bytes(gpu.memory)}"},
        )
