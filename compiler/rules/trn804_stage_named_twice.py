"""TRN804: a pipeline with two stages of one name.

Why: checkpoints and results of the second would be written over those of the first, as checkpoints of two runs with one folder are
(meta-pytorch/torchtune#481).
Example:
  pipeline run { stages = [pretrain, pretrain] }
Instead:
  stage longer = pretrain { duration = 2000 steps }
  pipeline run { stages = [pretrain, longer] }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..spec import PipelineSpec
from . import Finding


def check_pipeline(pipeline: PipelineSpec) -> Iterator[Finding]:
    """Counts the names; a name is a letter or `_`, letters, digits and `_`, so it is always safe as a folder's."""
    for name, count in Counter(stage.name for stage in pipeline.stages).items():
        if count > 1:
            yield Finding(
                at=f"{pipeline.name}.stages",
                message=f"`{pipeline.name}` lists `{name}` {count} times",
                help=f"amend it under another name: stage {name}_again = {name} {{ ... }}",
            )
