"""TRN610: all of the training documents are held out.

Why: none is left to train on, and the job would find out when it has read them all, by a late and confusing failure
(NeuracoreAI/neuracore#793); scikit-learn's `train_test_split` refuses a test share of 1.0 too.
Example:
  data corpus { holdout = 100% }
Instead:
  data corpus { holdout = 5% }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import DataSpec, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that something stays; beside a source of its own for evaluation, another rule objects."""
    data: DataSpec = stage.data
    if data.eval is None and data.holdout >= 1:
        yield Finding(
            at="data.holdout",
            message=f"`{data.name}` holds out all of its documents, which leaves none to train on",
            help="set `holdout = 5%`, or name the documents to evaluate on as `eval`",
        )
