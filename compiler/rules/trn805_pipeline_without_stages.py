"""TRN805: a pipeline that runs nothing.

Why: it would compile to a bundle that ends at once, and look as if everything had been done; a workflow without a job to build
counted as a success (microsoft/AL-Go#835).
Example:
  pipeline run { stages = [] }
Instead:
  pipeline run { stages = [pretrain] }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import PipelineSpec
from . import Finding


def check_pipeline(pipeline: PipelineSpec) -> Iterator[Finding]:
    """Asks for a stage."""
    if not pipeline.stages:
        yield Finding(f"{pipeline.name}.stages", f"`{pipeline.name}` runs no stage", "list the stages to run")
