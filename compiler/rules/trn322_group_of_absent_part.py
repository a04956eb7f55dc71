"""TRN322: a group for a part that the model does not have.

Why: the group's rate would apply to nothing, and the run would look as if it did. Where groups are patterns over names, each
parameter joins the first that fits (pytorch/torchtitan#3269), and nobody hears of a pattern that fits none.
Example:
  optimizer = adamw { lr = 3e-4, groups { router { lr = 1e-4 } } }
Instead:
  optimizer = adamw { lr = 3e-4, groups { embedding { lr = 1e-4 } } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..adapters import layer_shapes
from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the groups with the parts of the model's arithmetic."""
    shape, groups = stage.model.architecture, stage.optimizer.groups
    held = [part for part, count in family(shape.family).parameters(shape).items() if count]
    if stage.adapter:
        held = list(layer_shapes(stage.adapter, shape))
    for part in groups.settings:
        if getattr(groups, part) is not None and part not in held:
            tied = part == "head" and shape.tied_embeddings
            reason = "its head is the embedding" if tied else f"it has {', '.join(held)}"
            if stage.adapter:
                reason = f"beside the adapter only {' and '.join(held)} train"
            yield Finding(
                at=f"optimizer.groups.{part}",
                message=f"the model has no `{part}` of its own: {reason}",
                help="set `embedding` apart, which is both" if tied else "leave the group out, or name one of those",
                also={"model.architecture.family": "the model"},
            )
