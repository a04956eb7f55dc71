"""TRN321: one of DeepSpeed's strategies with another optimizer than AdamW.

Why: DeepSpeed flattens parameters into one piece and cuts that. Rows and columns are lost, which Adafactor and Muon need
(pytorch/pytorch#109581); of the others DeepSpeed has tested few, and stops at those that it has not (EleutherAI/gpt-neox#1166).
Example:
  strategy = zero2
  optimizer = lion { lr = 1e-4 }
Instead:
  strategy = fsdp2
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import AdamW, StageSpec
from . import Finding
from .zero_stages import is_zero


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for AdamW, or for torch's way to shard."""
    if is_zero(stage.strategy) and not isinstance(stage.optimizer, AdamW):
        strategy, optimizer = stage.strategy.variant, stage.optimizer.variant
        yield Finding(
            at="optimizer",
            message=f"`{strategy}` steps with adamw only, and the optimizer is {optimizer}",
            help="set `strategy = fsdp2`, which shards as much and takes every optimizer, or `optimizer = adamw { ... }`",
            also={"strategy": f"`strategy` is {strategy}"},
        )
