"""TRN605: a new tokenizer for weights that were trained with another.

Why: its tokens would pick rows of the embedding that mean something else, as they did where training went on with a new one
(France-Travail/gabarit#156), and it starts from noise without a message; nanotron refuses a tokenizer other than the data's for
that reason.
Example:
  model small { source = hf { repository = "owner/name" }, tokenizer = bpe }
Instead:
  model small { source = hf { repository = "owner/name" }, tokenizer = pretrained { path = "owner/name" } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Bpe, Random, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that only fresh weights get a fresh tokenizer."""
    model = stage.model
    if isinstance(model.tokenizer, Bpe) and not isinstance(model.source, Random):
        yield Finding(
            at="model.tokenizer",
            message=f"`bpe` makes a new tokenizer, the weights of `{model.name}` come with their own",
            help="leave `tokenizer` out",
            also={"model.source": f"the weights: `{model.source.variant}`"},
        )
