"""TRN702: the predicted peak memory leaves less than 8% of the GPU free.

Why: the device's context, NCCL's buffers and what the allocator loses to fragments come on top of every tensor that is predicted
(NVIDIA/nccl#962, pytorch/pytorch#35901); planners keep such a reserve (Unsloth Studio counts each further GPU at 85%, NeMo
Automodel loads up to 70%).
Example:
  batch { global = 512, micro = 16 }
Instead:
  batch { global = 512, micro = 8 }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..plan import StagePlan
from ..units import format_bytes, format_gib
from . import Finding
from .memory_remedies import largest_terms, usable_bytes, way_out

SEVERITY = Severity.WARNING


def check_plan(plan: StagePlan) -> Iterator[Finding]:
    """Compares the plan's peak with what a careful expert would fill."""
    gpu, peak = plan.spec.mesh.cluster.gpu, plan.memory.peak_bytes
    has = format_gib(gpu.memory)
    if usable_bytes(gpu) < peak <= gpu.memory:
        yield Finding(
            at="",
            message=f"`{plan.name}` takes {format_gib(peak)} of the {has} of `{gpu.name}`: {largest_terms(plan)}",
            help=way_out(plan),
            also={"mesh.cluster.gpu.memory": f"`memory` is {format_bytes(gpu.memory)}"},
        )
