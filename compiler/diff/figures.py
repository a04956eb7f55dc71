"""The figures of a plan that a comparison shows, read from plan.json's facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..effect import Effect
from ..units import format_count, format_gib


@dataclass(frozen=True, slots=True)
class Figures:
    """What the planner says of a stage; no steps where only the data tells."""

    steps: int | None
    tokens_per_step: int
    parameters: int
    peak_memory_bytes: int


# What another figure does where no field explains it: two compilers may plan the same spec differently.
EFFECTS: Mapping[str, Effect] = {
    "steps": Effect.RESUME_SAFE,
    "tokens_per_step": Effect.RESTART,
    "parameters": Effect.RESTART,
    "peak_memory_bytes": Effect.NONE,
}


def read_figures(facts: Mapping[str, Any]) -> Figures:
    """The figures among the facts of a plan.json; raises KeyError or TypeError where they are not there."""
    return Figures(
        steps=None if (steps := facts["schedule"]["total_steps"]) is None else int(steps),
        tokens_per_step=int(facts["batch"]["global_size"]) * int(facts["data"]["sequence"]),
        parameters=int(facts["model"]["parameters"]),
        peak_memory_bytes=int(facts["memory"]["peak_bytes"]),
    )


def names() -> list[str]:
    """The names of the figures."""
    return [entry.name for entry in fields(Figures)]


def shown(name: str, value: int | None) -> str:
    """A figure for people."""
    if value is None:
        return "as the data makes"
    if name == "peak_memory_bytes":
        return format_gib(value)
    return str(value) if name == "steps" else format_count(value)
