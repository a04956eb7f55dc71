"""TRN411: a precision that `ddp` cannot train in.

Why: `ddp` keeps one copy of the parameters and casts what enters a matrix; parameters that are stored smaller than they are
computed with, or gradients that are summed in a wider dtype than theirs, need the working copies that `fsdp2` makes. Only GPUs
can sum fp32 gradients in bf16: that is NCCL's work, and gloo, which carries tensors of a CPU, had no bf16 (pytorch/gloo#454).
Example:
  mesh wide { dp_shard = 1, dp_replicate = 16 }
  precision mixed { compute = bf16, params = bf16 }
  strategy = ddp
Instead:
  precision mixed { compute = bf16, params = bf16, reduce = bf16 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Ddp, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for parameters and sums that fit together."""
    precision, gpu = stage.precision, stage.mesh.cluster.gpu
    if not isinstance(stage.strategy, Ddp):
        return
    if precision.params == "bf16" and precision.compute != "bf16":
        yield Finding(
            at="precision.params",
            message=f"`ddp` cannot compute in {precision.compute} on `params` of bf16",
            help="set `params = fp32`, or `strategy = fsdp2`",
            also={"precision.compute": f"`compute` is {precision.compute}"},
        )
    elif precision.params == "bf16" and precision.reduce != "bf16":
        yield Finding(
            at="precision.reduce",
            message=f"`ddp` sums gradients in the dtype of `params`, bf16, and `reduce` is {precision.reduce}",
            help="set `reduce = bf16`, or `strategy = fsdp2`",
            also={"precision.params": "`params` is bf16"},
        )
    elif precision.reduce != precision.params and gpu.vendor in ("cpu", "any"):
        yield Finding(
            at="precision.reduce",
            message=f"`ddp` sums in bf16 on GPUs only, `{gpu.name}` {'is' if gpu.vendor == 'cpu' else 'may be'} a CPU",
            help="set `reduce = fp32`, or `strategy = fsdp2`",
            also={"mesh.cluster.gpu.vendor": f"`vendor` is {gpu.vendor}"},
        )
