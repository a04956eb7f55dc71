"""TRN609: a byte-level vocabulary without room for every byte.

Why: a byte-level BPE begins with the 256 bytes and the end of a text (Radford et al. 2019, "Language Models are Unsupervised
Multitask Learners", section 2.2); with fewer some texts could not be written. Trainers keep the
alphabet whatever size is asked (huggingface/tokenizers#903), so the job would end before its first step.
Example:
  model small { architecture { vocab = 200 } }
Instead:
  model small { architecture { vocab = 32768 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Bpe, StageSpec
from . import Finding

# The runtime's own limit: 256 bytes and the end of a text.
SMALLEST = 257


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the vocabulary with what every byte takes."""
    vocab = stage.model.architecture.vocab
    if isinstance(stage.model.tokenizer, Bpe) and vocab < SMALLEST:
        yield Finding(
            at="model.architecture.vocab",
            message=f"`vocab` {vocab} is too small for `bpe`, which takes {SMALLEST} for the 256 bytes and the end of a text",
            help=f"set `vocab = {SMALLEST}` or more; 32768 is usual",
            also={"model.tokenizer": "the tokenizer"},
        )
