"""TRN806: a stage continues from another's model and gives it another architecture.

Why: weights fit the shape they were trained in: a changed size fails only after the first stage has trained, as two layers did
where three were asked for (minghchen/CARL_code#1), and a changed constant such as `rope_theta` would be ignored, because the export
says its own.
Example:
  stage again = pretrain { model = pretrain.model { architecture { rope_theta = 500_000 } } }
Instead:
  stage again = pretrain { model = pretrain.model }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import PipelineSpec, StageOutput
from . import Finding


def check_pipeline(pipeline: PipelineSpec) -> Iterator[Finding]:
    """Compares each architecture with that of the stage whose model it takes."""
    made = {stage.name: stage.model.architecture for stage in pipeline.stages}
    for stage in pipeline.stages:
        source, asked = stage.model.source, stage.model.architecture
        if not isinstance(source, StageOutput) or source.stage not in made:
            continue
        for name, value in made[source.stage].__dict__.items():
            if asked.__dict__[name] != value:
                yield Finding(
                    at=f"{stage.name}.model.architecture.{name}",
                    message=f"`{name}` is {asked.__dict__[name]}, `{source.stage}` makes a model in which it is {value}",
                    help=f"change it in `{source.stage}`, or leave it out",
                )
