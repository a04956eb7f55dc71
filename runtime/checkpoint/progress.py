"""How far a run has come, and what its evaluations have said: a checkpoint holds it, and a resumed run goes on counting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Best:
    """The lowest held-out loss and the step after which it was found."""

    step: int
    loss: float


@dataclass(frozen=True, slots=True)
class Progress:
    """Steps taken and target tokens seen; the best evaluation, and how many came after it."""

    step: int
    tokens: int
    best: Best | None = None
    without_progress: int = 0

    def stepped(self, targets: int) -> Progress:
        """One step on, over so many targets."""
        return replace(self, step=self.step + 1, tokens=self.tokens + targets)

    def evaluated(self, loss: float) -> Progress:
        """With the held-out loss of this step; one that is no number is no progress."""
        if math.isfinite(loss) and (self.best is None or loss < self.best.loss):
            return replace(self, best=Best(self.step, loss), without_progress=0)
        return replace(self, without_progress=self.without_progress + 1)

    def exhausts(self, patience: int | None) -> bool:
        """Whether so many evaluations in a row were no progress."""
        return patience is not None and self.without_progress >= patience


def read(content: Mapping[str, Any]) -> Progress:
    """The progress that a checkpoint holds."""
    best = Best(**content["best"]) if content["best"] else None
    return Progress(content["step"], content["tokens"], best, content["without_progress"])
