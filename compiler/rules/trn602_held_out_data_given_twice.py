"""TRN602: held-out data is given both as a source and as a share of the training data.

Why: only one of the two can be meant, and the loss that decides on a model would be measured on the other; axolotl and
LLaMA-Factory refuse both together (hiyouga/LlamaFactory#5030).
Example:
  data corpus { holdout = 5%, eval = text { path = "corpus/*.txt" } }
Instead:
  data corpus { holdout = 0%, eval = text { path = "corpus/*.txt" } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for one origin of held-out data."""
    data = stage.data
    if data.eval is not None and data.holdout > 0:
        yield Finding(
            at="data.holdout",
            message=f"`{data.name}` holds out {100 * data.holdout:g}% of its training data and has `eval` {data.eval.variant} too",
            help="leave one of them out, or set `holdout = 0%`",
            also={"data.eval": "the other held-out data"},
        )
