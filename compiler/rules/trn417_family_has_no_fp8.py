"""TRN417: fp8 for a family whose matrices torchao does not convert.

Why: it looks for `torch.nn.Linear`, and the matrices of GPT-2's layers in transformers are `Conv1D`, as other quantisers found
(huggingface/transformers#24504); experts are parameters of their block. What is not found stays as it is without a word
(pytorch/torchtitan#3233).
Example:
  precision mixed { compute = fp8 }
  model small { architecture { family = gpt2, kv_heads = none } }
Instead:
  precision mixed { compute = bf16 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .linear_layers import WITHOUT_LINEAR


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a family of `torch.nn.Linear` layers."""
    family = stage.model.architecture.family
    if stage.precision.compute == "fp8" and family in WITHOUT_LINEAR:
        yield Finding(
            at="precision.compute",
            message=f"the matrices of a `{family}` cannot be made fp8",
            help="set `compute = bf16`",
            also={"model.architecture.family": f"`family` is {family}"},
            set={"precision.compute": "bf16"},
        )
