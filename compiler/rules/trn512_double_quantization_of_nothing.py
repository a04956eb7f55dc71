"""TRN512: `double_quantization` where no scales can be quantised.

Why: only nf4 has a scale for each 64 entries; int8 has one a row. Elsewhere the setting would be ignored: PEFT's own tests gave one
of 4 bits beside `load_in_8bit`, and nothing said so (huggingface/peft#1811).
Example:
  model few = small { quantization = int8, double_quantization = true }
  stage tuned = pretrain { model = few, adapter = lora {} }
Instead:
  model few = small { quantization = nf4, double_quantization = true }
  stage tuned = pretrain { model = few, adapter = lora {} }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for nf4 where the setting is made."""
    kind = stage.model.quantization
    if stage.model.double_quantization is not None and kind != "nf4":
        yield Finding(
            at="model.double_quantization",
            message=f"`double_quantization` does nothing where `quantization` is {kind}",
            help="set `quantization = nf4`, or leave `double_quantization` out",
            also={"model.quantization": f"`quantization` is {kind}"},
        )
