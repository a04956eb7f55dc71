"""TRN803: a stage reads the output of one that the pipeline does not run.

Why: the weights would not be there when the stage starts, hours after the pipeline began; in a pipeline of GitLab the third stage
was skipped, and the fourth, which needs its files, ran (rocq-prover/rocq#10699).
Example:
  stage align = pretrain { model = pretrain.model }
  pipeline run { stages = [align] }
Instead:
  pipeline run { stages = [pretrain, align] }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..graph import needs
from ..spec import PipelineSpec
from . import Finding


def check_pipeline(pipeline: PipelineSpec) -> Iterator[Finding]:
    """Looks up each need among the stages."""
    names = {stage.name for stage in pipeline.stages}
    for stage in pipeline.stages:
        for need in needs(stage):
            if need not in names:
                yield Finding(
                    at=f"{stage.name}.model",
                    message=f"`{stage.name}` reads the output of `{need}`, which `{pipeline.name}` does not run",
                    help=f"add `{need}` to the pipeline's `stages`",
                )
