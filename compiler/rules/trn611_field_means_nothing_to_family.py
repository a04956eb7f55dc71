"""TRN611: a field of the architecture that the family does not read.

Why: transformers' configuration classes keep any name that they are given, and a model that does not read it is built without
a word (huggingface/transformers#29553): the run would be of another model than the spec says.
Example:
  model small {
    architecture { family = qwen2, attention_bias = true }
  }
Instead:
  model small {
    architecture { family = qwen2 }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks for fields that are not at their defaults and that no arithmetic and no configuration of the family takes up."""
    architecture = stage.model.architecture
    reads = family(architecture.family).reads
    for name, setting in architecture.settings.items():
        value = getattr(architecture, name)
        # What is not built yet is TRN801's.
        if name not in reads and value != setting.default and not setting.is_later(value):
            yield Finding(
                at=f"model.architecture.{name}",
                message=f"`{name}` means nothing to a `{architecture.family}`",
                help="leave it out, or choose a family that reads it",
                also={"model.architecture.family": f"`family` is {architecture.family}"},
            )
