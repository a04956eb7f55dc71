"""TRN603: an evaluation without held-out data.

Why: there would be nothing to evaluate on, and a loss on training data says nothing; transformers said so after an epoch of half an
hour (huggingface/transformers#33721).
Example:
  data corpus { holdout = 0% }
  eval { every = 100 steps }
Instead:
  data corpus { holdout = 5% }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks for a source or a share."""
    data = stage.data
    if stage.eval is not None and data.eval is None and data.holdout == 0:
        yield Finding(
            at="eval",
            message=f"`eval` has nothing to measure: `{data.name}` holds no data out",
            help=f"give `{data.name}` an `eval` source or `holdout = 5%`, or leave `eval` out",
            also={"data": f"`{data.name}` has neither `eval` nor `holdout`"},
        )
