"""TRN412: fp16 without loss scaling, or loss scaling without fp16.

Why: fp16 has nothing between 6e-8 and zero, and most gradients late in training are smaller: without a scale they vanish, and the
loss curve flattens without an error (Micikevicius et al. 2018, arXiv:1710.03740; engichang1467/Open-Rig3R#35). bf16 has the range
of fp32 and needs none; there a scale only leaves out steps (decoderesearch/SAELens#723).
Example:
  precision mixed { compute = fp16 }
Instead:
  precision mixed { compute = fp16, loss_scaling = dynamic }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .zero_stages import is_zero

WAIVABLE = True


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for the two together; TRN243 speaks of fp16 with DeepSpeed."""
    compute, scaling = stage.precision.compute, stage.precision.loss_scaling
    if (compute == "fp16") == (scaling == "dynamic") or (compute == "fp16" and is_zero(stage.strategy)):
        return
    also = {"precision.compute": f"`compute` is {compute}"}
    if compute == "fp16":
        yield Finding(
            "precision.loss_scaling", "small gradients of fp16 vanish without a scale", "set `loss_scaling = dynamic`", also
        )
    else:
        yield Finding(
            at="precision.loss_scaling",
            message=f"`loss_scaling` is for fp16, and {compute} has the range of fp32",
            help="leave `loss_scaling` out",
            also=also,
            set={"precision.loss_scaling": "none"},
        )
