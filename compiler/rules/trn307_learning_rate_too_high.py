"""TRN307: a learning rate that moves every weight further than its own size.

Why: a step of Adam moves each weight by about the learning rate, whatever its gradient is (Kingma & Ba 2015, arXiv:1412.6980,
section 2.1), and weights of a language model are of the order of 0.02: from 0.1 on, a few steps replace what was learned.
Example:
  optimizer = adamw { lr = 0.3 }
Instead:
  optimizer = adamw { lr = 3e-4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import AdamW, AdamW8bit, StageSpec
from ..units import format_number
from . import Finding

SEVERITY = Severity.WARNING
LIMIT = 0.1


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the peak learning rate with the size of weights."""
    if isinstance(stage.optimizer, AdamW | AdamW8bit) and stage.optimizer.lr >= LIMIT:
        yield Finding(
            at="optimizer.lr",
            message=f"`lr` {format_number(stage.optimizer.lr)} moves a weight of 0.02 many times its own size in one step",
            help="set `lr = 3e-4`, or find the highest that still converges",
        )
