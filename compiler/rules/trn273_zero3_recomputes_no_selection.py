"""TRN273: `zero3` with `recompute = selective`.

Why: a selection by operations repeats what the first pass did, one operation after the other, and the hooks of DeepSpeed's third
stage gather and free parameters inside the layer, at other moments the second time: torch ends the run. The stage's empty
parameters stand in the way of torch's recomputation elsewhere too (deepspeedai/DeepSpeed#4332, huggingface/trl#2514).
Example:
  strategy = zero3
  stage lean = pretrain { recompute = selective }
Instead:
  stage lean = pretrain { recompute = full }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec, Zero3
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for whole layers to be computed again."""
    if isinstance(stage.strategy, Zero3) and stage.recompute == "selective":
        yield Finding(
            at="recompute",
            message="`zero3` gathers parameters inside a layer, where `selective` cannot follow",
            help="set `recompute = full` or `none`; or take `zero2`, or `fsdp2`",
            also={"strategy": "the strategy is `zero3`"},
        )
