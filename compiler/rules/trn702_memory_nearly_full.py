"""TRN702: the predicted peak memory leaves less than 8% of the GPU free.

Why: the device's context, NCCL's buffers and what the allocator loses to fragments come on top of every tensor that is predicted;
planners keep such a reserve (Unsloth Studio counts each further GPU at 85%, NeMo Automodel loads up to 70%).
Example:
  gpu h100 { memory = 20 GB }
  batch { global = 64, micro = 2 }
Instead:
  gpu h100 { memory = 24 GB }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..plan import StagePlan
from ..units import format_gib
from . import Finding
from .memory_remedies import largest_terms, way_out

SEVERITY = Severity.WARNING
RESERVE = 0.08


def check_plan(plan: StagePlan) -> Iterator[Finding]:
    """Compares the plan's peak with what a careful expert would fill."""
    gpu, peak = plan.spec.mesh.cluster.gpu, plan.memory.peak_bytes
    has = format_gib(gpu.memory)
    usable = (1 - RESERVE) * gpu.memory
    if usable < peak <= gpu.memory:
        yield Finding(
            at="",
            message=f"`{plan.name}` takes {format_gib(peak)} of the {has} of `{gpu.name}`: {largest_terms(plan)}",
            help=way_out(plan, usable),
            also={"mesh.cluster.gpu.memory": f"{has} a GPU"},
        )
