"""TRN514: quantisation of a family whose weights are mostly no `torch.nn.Linear`.

Why: quantisers look for such modules, and what they do not find stays whole without a word: the matrices of GPT-2's layers are
transformers' `Conv1D` (huggingface/transformers#24504), and experts are parameters of their block, so that a model of experts takes
nearly as much as before (unslothai/unsloth#5430).
Example:
  model few = small { quantization = nf4, architecture { family = mixtral, experts = 8, experts_per_token = 2 } }
  stage tuned = pretrain { model = few, adapter = lora {} }
Instead:
  model few = small { quantization = none }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .linear_layers import WITHOUT_LINEAR


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a family of `torch.nn.Linear` layers."""
    name, kind = stage.model.architecture.family, stage.model.quantization
    if kind != "none" and name in WITHOUT_LINEAR:
        yield Finding(
            at="model.quantization",
            message=f"the weights of a `{name}` cannot be stored in {kind}",
            help="set `quantization = none`",
            also={"model.architecture.family": f"`family` is {name}"},
            set={"model.quantization": "none"},
        )
