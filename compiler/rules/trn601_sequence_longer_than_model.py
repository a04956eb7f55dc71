"""TRN601: samples are longer than the model is made for.

Why: positions beyond the longest sequence end in a device-side assert, or, with rotary positions, in a model that degrades without
a message (huggingface/transformers#14384, unslothai/unsloth#1236).
Example:
  data corpus { sequence = 8192 }
  model small { architecture { max_sequence = 4096 } }
Instead:
  data corpus { sequence = 4096 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares a sample's tokens with the model's longest sequence."""
    sequence, longest = stage.data.sequence, stage.model.architecture.max_sequence
    if sequence > longest:
        yield Finding(
            at="data.sequence",
            message=f"`sequence` {sequence} is longer than `max_sequence` {longest} of `{stage.model.name}`",
            help=f"set `sequence = {longest}`",
            also={"model.architecture.max_sequence": f"`max_sequence` is {longest}"},
        )
