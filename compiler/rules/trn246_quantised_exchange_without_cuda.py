"""TRN246: parameters or gradients that travel quantised, on a device without CUDA.

Why: ZeRO++ packs and unpacks them with kernels that DeepSpeed has for CUDA only; elsewhere the build of those kernels fails when
the job has its GPUs (deepspeedai/DeepSpeed#6795).
Example:
  gpu h100 { vendor = amd }
  strategy = zero3 { quantized_weights = true }
Instead:
  strategy = zero3 { quantized_weights = false }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .zero_stages import is_zero3

FIELDS = ("quantized_weights", "quantized_gradients")


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a GPU of NVIDIA's."""
    strategy, gpu = stage.strategy, stage.mesh.cluster.gpu
    if not is_zero3(strategy) or gpu.vendor == "nvidia":
        return
    for field in FIELDS:
        if getattr(strategy, field):
            yield Finding(
                at=f"strategy.{field}",
                message=f"`{field}` needs CUDA, and `{gpu.name}` is of vendor {gpu.vendor}",
                help=f"set `{field} = false`",
                also={"mesh.cluster.gpu.vendor": f"`vendor` is {gpu.vendor}"},
            )
