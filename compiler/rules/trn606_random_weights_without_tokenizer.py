"""TRN606: random weights without a tokenizer.

Why: the tokenizer is otherwise taken from beside the weights, and there is nothing beside random ones; transformers says "can't
load tokenizer" on every rank when the job has its GPUs (huggingface/transformers#23731).
Example:
  model fresh { source = random, architecture = small.architecture }
  model = fresh
Instead:
  model fresh { source = random, architecture = small.architecture, tokenizer = bpe }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Random, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks how text becomes tokens where no weights say it."""
    model = stage.model
    if isinstance(model.source, Random) and model.tokenizer is None:
        yield Finding(
            at="model.source",
            message=f"`{model.name}` has random weights and no tokenizer",
            help="set `tokenizer = bpe` to train one on the data, or `tokenizer = pretrained { ... }`",
        )
