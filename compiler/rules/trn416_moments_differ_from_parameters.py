"""TRN416: optimizer states in another dtype than the parameters.

Why: torch's optimizers make their moments in the parameters' dtype, whatever is wished: a run that stored bf16 parameters had bf16
moments without a word, and its loss stayed three times higher than with fp32 ones (areal-project/AReaL#1292).
Example:
  precision mixed { compute = bf16, params = bf16, optimizer_state = fp32 }
Instead:
  precision mixed { compute = bf16, params = fp32, optimizer_state = fp32 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import AdamW8bit, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for one dtype of both."""
    params, state = stage.precision.params, stage.precision.optimizer_state
    if state is not None and isinstance(stage.optimizer, AdamW8bit):
        yield Finding(
            at="precision.optimizer_state",
            message=f"`optimizer_state` is {state}, and adamw8bit keeps its moments in 8 bits",
            help="leave `optimizer_state` out, or take `adamw`",
            also={"optimizer": "the optimizer"},
        )
    elif state is not None and state != params:
        yield Finding(
            at="precision.optimizer_state",
            message=f"`optimizer_state` is {state}, and the optimizer keeps its moments in the dtype of `params`, {params}",
            help=f"set `params = {state}`, or leave `optimizer_state` out",
            also={"precision.params": f"`params` is {params}"},
        )
