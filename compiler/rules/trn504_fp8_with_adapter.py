"""TRN504: matrices in fp8 with an adapter beside them.

Why: torchao replaces `torch.nn.Linear` modules, and beside an adapter those are the thin matrices A and B too: the time goes into
casts, or the adapter is not found at all (meta-pytorch/torchtune#2833).
Example:
  precision mixed { compute = fp8 }
  stage tuned = pretrain { adapter = lora {} }
Instead:
  precision mixed { compute = bf16 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Refuses the pair."""
    if stage.adapter is None or stage.precision.compute != "fp8":
        return
    yield Finding(
        at="precision.compute",
        message=f"fp8 with the adapter `{stage.adapter.variant}` is not built",
        help="set `compute = bf16`",
        also={"adapter": f"`adapter` is {stage.adapter.variant}"},
        set={"precision.compute": "bf16"},
    )
