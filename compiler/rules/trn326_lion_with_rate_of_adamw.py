"""TRN326: a learning rate for Lion that would be AdamW's.

Why: Lion moves every entry by the whole rate, AdamW most by less: fitting rates are 3 to 10 times lower (Chen et al. 2023,
arXiv:2302.06675, section 5). Runs that took 3e-4 to 1e-3, where AdamW trained with 5e-4, diverged (wandb/senpai#2871).
Example:
  optimizer = lion { lr = 1e-3 }
Instead:
  optimizer = lion { lr = 1e-4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import Lion, StageSpec
from ..units import format_number
from . import Finding

SEVERITY = Severity.WARNING
LIMIT = 1e-3


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the peak with what small models take with AdamW."""
    if isinstance(stage.optimizer, Lion) and stage.optimizer.lr >= LIMIT:
        yield Finding(
            at="optimizer.lr",
            message=f"`lr` {format_number(stage.optimizer.lr)} is a rate for adamw: lion's are 3 to 10 times lower",
            help="set `lr = 1e-4`, or find the highest that still converges",
        )
