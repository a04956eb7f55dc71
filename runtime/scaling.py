"""A factor on the loss that lifts small gradients into the range of fp16 (Micikevicius et al. 2018, arXiv:1710.03740).

The rule and its numbers are those of torch's GradScaler, which cannot unscale gradients of several meshes at once: a step whose
gradient is not finite is left out and halves the factor, 2,000 steps in a row without one double it. Here the norm of the whole
gradient decides, which every rank knows already: all of them leave out the same steps, and no further message is needed.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from .errors import StageError

FIRST = 2.0**16
# Below 1 a factor would make gradients smaller than they are without one: not the factor is what overflows.
LEAST = 1.0
PATIENCE_STEPS = 2000


@dataclass(slots=True)
class LossScale:
    """`value` stands before every loss; `clean_steps` were taken since it changed. A fixed one is 1 and changes nothing."""

    dynamic: bool = False
    value: float = 1.0
    clean_steps: int = 0

    def judge(self, norm: float) -> bool:
        """Whether a step with this gradient norm, unscaled, is to be taken; moves the factor."""
        finite = math.isfinite(norm)
        if not self.dynamic:
            return finite
        if not finite:
            self._shrink(norm)
        elif self.clean_steps + 1 == PATIENCE_STEPS:
            self.value, self.clean_steps = self.value * 2, 0
        else:
            self.clean_steps += 1
        return finite

    def _shrink(self, norm: float) -> None:
        self.value, self.clean_steps = self.value / 2, 0
        if self.value < LEAST:
            raise StageError(
                f"the gradient norm is {norm} at every loss scale down to {LEAST:g}: compute in bf16, or lower the learning rate"
            )

    def state(self) -> dict[str, float]:
        """What a checkpoint keeps."""
        return {name: value for name, value in asdict(self).items() if name != "dynamic"}

    def restore(self, state: dict[str, float]) -> None:
        """Goes on from what a checkpoint kept; a fixed factor stays as it is, and so does one that has no past."""
        if self.dynamic and state:
            self.value, self.clean_steps = state["value"], int(state["clean_steps"])


def dynamic() -> LossScale:
    """A factor that follows the gradients."""
    return LossScale(dynamic=True, value=FIRST)
