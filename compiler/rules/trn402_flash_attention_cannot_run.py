"""TRN402: flash attention on a device or in a dtype that its kernels do not have.

Why: the model loads, and the first forward pass says that FlashAttention only supports Ampere GPUs or newer, in fp16 and bf16
(Dao-AILab/flash-attention#762, modelscope/ms-swift#1603).
Example:
  gpu h100 { compute_capability = 7.5, dtypes = [fp32, fp16] }
  precision mixed { compute = fp16, loss_scaling = dynamic }
  model small { attention = flash }
Instead:
  model small { attention = sdpa }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding

AMPERE = 8.0


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for an Ampere GPU or newer, and for half precision."""
    if stage.model.attention != "flash":
        return
    for path, value, reason in _obstacles(stage):
        yield Finding(
            at="model.attention",
            message=f"`flash` {reason}",
            help="set `attention = sdpa`, which takes the fastest kernel that there is",
            also={path: f"`{path.rpartition('.')[2]}` is {value}"},
            # Where the GPU cannot, no other setting helps; another precision might be what was meant.
            set={"model.attention": "sdpa"} if path.startswith("mesh.") else {},
        )


def _obstacles(stage: StageSpec) -> Iterator[tuple[str, object, str]]:
    """The field that rules flash attention out, its value, and how it does."""
    gpu, compute = stage.mesh.cluster.gpu, stage.precision.compute
    capability = gpu.compute_capability
    if gpu.vendor in ("cpu", "any"):
        yield (
            "mesh.cluster.gpu.vendor",
            gpu.vendor,
            f"needs a GPU, `{gpu.name}` {'is a CPU' if gpu.vendor == 'cpu' else 'may be a CPU'}",
        )
    elif capability is not None and capability < AMPERE:
        yield "mesh.cluster.gpu.compute_capability", capability, f"needs compute capability 8.0, `{gpu.name}` has {capability}"
    if compute == "fp32":
        yield "precision.compute", compute, "computes in bf16 or fp16, not in fp32"
