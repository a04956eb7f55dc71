"""TRN511: quantised matrices without an adapter beside them.

Why: rounding to a few bits has no gradient, so what is stored in them stays as it is, and the rest of a model is of no use alone:
trainers stop when the model is loaded (AGI-Edgerunners/LLM-Adapters#57), or ask for an adapter from the start
(ludwig-ai/ludwig#3492).
Example:
  model few = small { quantization = nf4 }
  stage tuned = pretrain { model = few }
Instead:
  stage tuned = pretrain { model = few, adapter = lora {} }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for an adapter."""
    kind = stage.model.quantization
    if kind != "none" and stage.adapter is None:
        yield Finding(
            at="model.quantization",
            message=f"matrices in {kind} do not train, and there is no adapter beside them",
            help="add `adapter = lora {}`, or set `quantization = none`, which trains the whole model",
        )
