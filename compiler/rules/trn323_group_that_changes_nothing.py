"""TRN323: a group of parameters whose settings change nothing.

Why: norms have no weight decay whatever it is set to: pulled towards zero they scale their layer down, and runs are tuned without
(karpathy/minGPT#24). A group without any setting reads as if it had one. Both would be ignored without a word.
Example:
  optimizer = adamw { lr = 3e-4, groups { norms { weight_decay = 0.01 } } }
Instead:
  optimizer = adamw { lr = 3e-4, groups { norms { lr = 1e-4, weight_decay = none } } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks at each group for a rate, or a decay of something that decays."""
    groups = stage.optimizer.groups
    for part in groups.settings:
        group = getattr(groups, part)
        if group is None:
            continue
        if group.lr is None and group.weight_decay is None:
            yield Finding(f"optimizer.groups.{part}", f"the group `{part}` sets nothing", "give it an `lr`, or leave it out")
        elif part == "norms" and group.weight_decay is not None:
            yield Finding(
                at="optimizer.groups.norms.weight_decay",
                message="norms have no weight decay, so this one would be ignored",
                help="leave `weight_decay` out",
            )
