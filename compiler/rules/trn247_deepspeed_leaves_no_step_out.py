"""TRN247: `nonfinite = skip` with DeepSpeed.

Why: DeepSpeed keeps the gradients of a step until it has stepped, and leaves out steps by rules of its own: for long one whose bf16
gradients overflowed went into the weights (deepspeedai/DeepSpeed#8035), now all may be left out without a word
(deepspeedai/DeepSpeed#8415).
Example:
  stage first = pretrain { strategy = zero2, nonfinite = skip }
Instead:
  stage first = pretrain { strategy = zero2, nonfinite = stop }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .zero_stages import is_zero


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for `stop`."""
    if is_zero(stage.strategy) and stage.nonfinite == "skip":
        yield Finding(
            at="nonfinite",
            message=f"`{stage.strategy.variant}` cannot leave out a step whose loss is no number",
            help="set `nonfinite = stop`, or `strategy = fsdp2`",
            also={"strategy": f"`strategy` is {stage.strategy.variant}"},
        )
