"""TRN325: Nesterov's step without a momentum.

Why: it looks ahead along the momentum, and there is none: torch refuses the pair when the optimizer is built
(pytorch/pytorch#887), after the model is loaded on every node.
Example:
  optimizer = sgd { lr = 0.1, momentum = 0, nesterov = true }
Instead:
  optimizer = sgd { lr = 0.1, momentum = 0.9, nesterov = true }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Sgd, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for one of the two."""
    if isinstance(stage.optimizer, Sgd) and stage.optimizer.nesterov and not stage.optimizer.momentum:
        yield Finding(
            at="optimizer.nesterov",
            message="`nesterov` looks ahead along the momentum, and `momentum` is 0",
            help="set `momentum = 0.9`, or leave `nesterov` out",
            also={"optimizer.momentum": "`momentum` is 0"},
        )
