"""TRN631: a `format` of several columns, from a source that has none.

Why: a prompt and its completion, or the messages of a conversation, are columns of a row; files of text have one. The run would end
with a missing key on every rank, as huggingface/open-r1#454 did, once it had its GPUs.
Example:
  data pairs { train = text { path = "corpus/*.txt" }, format = completion, holdout = 5%, sequence = 2048 }
  stage tuned = pretrain { data = pairs, objective = sft }
Instead:
  data pairs { train = jsonl { path = "corpus/pairs.jsonl" }, format = completion, holdout = 5%, sequence = 2048 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec, Table
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for rows where the format reads columns."""
    data = stage.data
    if not data.whole:
        return
    for field, source in (("train", data.train), ("eval", data.eval)):
        if source is not None and not isinstance(source, Table):
            yield Finding(
                at=f"data.{field}",
                message=f"`{source.variant}` holds text alone, the format `{data.format}` reads columns",
                help="name rows: `jsonl { path = ... }` or `parquet { path = ... }`",
                also={"data.format": f"`format` is {data.format}"},
            )
