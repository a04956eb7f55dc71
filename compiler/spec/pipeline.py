"""Pipelines, which stages run, and targets, what launches them."""

from __future__ import annotations

from ..effect import Effect
from ..schema import ListOf, Record, RecordOf, setting
from .scalars import DURATION, STRING
from .stage import StageSpec


class PipelineSpec(Record, kind="pipeline", effect=Effect.RESUME_SAFE):
    """The stages to run; their order follows from what each needs."""

    name: str
    stages: list[StageSpec] = setting(ListOf(RecordOf(StageSpec)), "the stages")


class TargetSpec(Record, kind="target", later=True, effect=Effect.NONE):
    """A launcher beside torchrun, which every bundle has."""

    name: str
    launcher: str = setting(STRING, "its name")
    time_limit: float | None = setting(DURATION, "longest run", default=None)
