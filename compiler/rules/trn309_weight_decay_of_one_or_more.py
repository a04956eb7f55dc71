"""TRN309: a weight decay of 1 or more.

Why: AdamW takes `lr` x `weight_decay` of every weight at each step (Loshchilov & Hutter 2019, arXiv:1711.05101); usual values are
0.01 to 0.1, and ten times as much is most often a percentage, or a factor that was meant to keep rather than to take.
Example:
  optimizer = adamw { lr = 3e-4, weight_decay = 10 }
Instead:
  optimizer = adamw { lr = 3e-4, weight_decay = 0.1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import AdamW, AdamW8bit, Muon, StageSpec
from ..units import format_number
from . import Finding

SEVERITY = Severity.WARNING


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks at the decay alone: what it makes of a run depends on the learning rate too."""
    if isinstance(stage.optimizer, AdamW | AdamW8bit | Muon) and stage.optimizer.weight_decay >= 1:
        decay, taken = stage.optimizer.weight_decay, 100 * stage.optimizer.weight_decay * stage.optimizer.lr
        yield Finding(
            at="optimizer.weight_decay",
            message=f"`weight_decay` {format_number(decay)} takes {taken:.3g}% of every weight at each step of the peak",
            help="set `weight_decay = 0.1`",
            also={"optimizer.lr": "with this learning rate"},
        )
