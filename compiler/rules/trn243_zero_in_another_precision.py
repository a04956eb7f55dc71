"""TRN243: one of DeepSpeed's strategies in a precision other than its own.

Why: DeepSpeed trains in one dtype, fp32 or bf16 here, with masters and moments in fp32. `params = bf16` would be ignored
(deepspeedai/DeepSpeed#5784), and fp16, whose loss scaling DeepSpeed does itself, it refuses on a CPU (deepspeedai/DeepSpeed#5718).
Example:
  precision mixed { compute = bf16, params = bf16 }
  strategy = zero2
Instead:
  precision mixed { params = fp32 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .zero_stages import is_zero


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for fp32 masters, and for computing in fp32 or bf16."""
    if not is_zero(stage.strategy):
        return
    precision, name = stage.precision, stage.strategy.variant
    if precision.compute not in ("fp32", "bf16"):
        yield Finding(
            at="precision.compute",
            message=f"`{name}` computes in fp32 or bf16, and `compute` is {precision.compute}",
            help="set `compute = bf16`; or take `fsdp2`",
            also={"strategy": f"the strategy is `{name}`"},
        )
    if precision.params != "fp32":
        yield Finding(
            at="precision.params",
            message=f"`{name}` keeps parameters and moments in fp32, and `params` is {precision.params}",
            help="set `params = fp32`, beside which DeepSpeed computes with a copy in the dtype of `compute`",
            also={"strategy": f"the strategy is `{name}`"},
        )
