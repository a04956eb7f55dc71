"""TRN505: a rank for a matrix that the adapter does not aim at.

Why: PEFT takes ranks by patterns over the adapted modules, and passes over one that fits none without a word
(huggingface/peft#3582).
Example:
  stage tuned = pretrain { adapter = lora { targets = [q, v], ranks { o = 8 } } }
Instead:
  stage tuned = pretrain { adapter = lora { targets = [q, v, o], ranks { o = 8 } } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..adapters import targets
from ..spec import StageSpec
from ..spec.training import LowRank
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the ranks with the targets."""
    if not isinstance(stage.adapter, LowRank):
        return
    aims = targets(stage.adapter, stage.model.architecture)
    for name in stage.adapter.ranks.settings:
        if getattr(stage.adapter.ranks, name) is not None and name not in aims:
            yield Finding(
                at=f"adapter.ranks.{name}",
                message=f"`ranks` has one for `{name}`, which is no target",
                help=f"add `{name}` to `targets`, or leave its rank out",
                also={"adapter.targets": "the targets"},
            )
