"""TRN306: a beta or the momentum of the optimizer is 1 or more.

Why: a moment that never decays never learns; torch refuses it only when the optimizer is built, after the model is loaded
(pytorch/pytorch#5147), and in MLX the run quietly diverged (ml-explore/mlx#4310).
Example:
  optimizer = adamw { lr = 3e-4, betas = [0.9, 95] }
Instead:
  optimizer = adamw { lr = 3e-4, betas = [0.9, 0.95] }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from ..units import format_number
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that all moments decay."""
    optimizer = stage.optimizer
    if "betas" in optimizer.settings and (wrong := [beta for beta in optimizer.betas if beta >= 1]):
        shown = " and ".join(format_number(beta) for beta in wrong)
        yield Finding("optimizer.betas", f"`betas` must be below 1, found {shown}", "set `betas = [0.9, 0.95]`")
    if "momentum" in optimizer.settings and optimizer.momentum >= 1:
        shown = format_number(optimizer.momentum)
        yield Finding("optimizer.momentum", f"`momentum` must be below 1, found {shown}", "set `momentum = 0.9`")
