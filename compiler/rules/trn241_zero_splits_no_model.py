"""TRN241: one of DeepSpeed's strategies on a mesh that splits the model.

Why: ZeRO shares the states of one whole model among data-parallel ranks, and knows nothing of parameters that are parts already.
ZeRO-2 and 3 do not run with a pipeline (deepspeedai/DeepSpeed#823), ZeRO-3 not with tensor parallelism
(deepspeedai/DeepSpeed#7389); with the other pairs it has ways of its own to split a model, which this version does not use.
Example:
  mesh wide { dp_shard = 8, tp = 2 }
  strategy = zero2
Instead:
  strategy = fsdp2
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .splitting import whole_models_only
from .zero_stages import is_zero


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a mesh with data-parallel axes only."""
    if is_zero(stage.strategy):
        yield from whole_models_only(stage)
