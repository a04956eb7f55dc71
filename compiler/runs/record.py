"""Reads a run folder into a value: what was planned, what was measured, and what happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf
from pathlib import Path
from statistics import median

from trainc.dsl.diagnostics import Diagnostic

from . import faults
from .rows import Row, count, number, read_rows, text

_BEGINNINGS = ("started", "resumed")
_ENDINGS = ("finished", "interrupted", "failed")
_ROUTINE = ("evaluation", "checkpoint")


@dataclass(frozen=True, slots=True)
class Measurement:
    """A row of metrics."""

    step: int
    tokens: float | None
    loss: float | None
    lr: float | None
    grad_norm: float | None
    tokens_per_second: float | None
    peak_memory_bytes: float | None
    step_time_seconds: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The held-out loss at a step."""

    step: int
    loss: float

    @property
    def perplexity(self) -> float:
        """The loss as a number of equally likely tokens."""
        # Above that a double holds no exponential.
        return exp(self.loss) if self.loss < 700 else inf


@dataclass(frozen=True, slots=True)
class Incident:
    """Anything that happened beside the routine, with its details in words."""

    time: float | None
    name: str
    details: str


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One stage of a run."""

    name: str
    folder: Path
    state: str
    device: str | None
    world_size: int | None
    parameters: int | None
    total_steps: int | None
    measurements: tuple[Measurement, ...]
    evaluations: tuple[Evaluation, ...]
    best: Evaluation | None
    incidents: tuple[Incident, ...]
    wall_seconds: float
    predicted_terms: Mapping[str, int]
    predicted_peak_bytes: int | None

    @property
    def measured_peak_bytes(self) -> int | None:
        """The highest peak of any logged step."""
        peaks = [row.peak_memory_bytes for row in self.measurements if row.peak_memory_bytes is not None]
        return int(max(peaks)) if peaks else None

    @property
    def skipped_steps(self) -> int:
        """Steps that were left out because their loss or gradient norm was no number."""
        return sum(incident.name == "skipped" for incident in self.incidents)

    @property
    def stopped_early(self) -> bool:
        """Whether it ended for want of progress."""
        names = [incident.name for incident in self.incidents if incident.name in (*_BEGINNINGS, "stopped early")]
        return names[-1:] == ["stopped early"]

    @property
    def tokens_per_second(self) -> float | None:
        """The median over the logged steps."""
        rates = [row.tokens_per_second for row in self.measurements if row.tokens_per_second is not None]
        return median(rates) if rates else None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run and its stages, in the order in which they run."""

    folder: Path
    pipeline: str
    hash: str
    stages: tuple[StageRecord, ...]


def load(run: Path) -> RunRecord | Diagnostic:
    """The record of a run folder, finished or not."""
    try:
        content = json.loads((run / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return faults.not_a_run(run, sorted(path.parent for path in run.glob("**/run.json")))
    stages = tuple(_load_stage(name, run / name) for name in content["stages"])
    return RunRecord(run, content["pipeline"], content["hash"], stages)


def _load_stage(name: str, folder: Path) -> StageRecord:
    events = read_rows(folder / "events.jsonl")
    begun: Row = next((row for row in reversed(events) if text(row, "event") == "started"), {})
    terms, peak = _predicted_memory(folder / "plan.json")
    return StageRecord(
        name=name,
        folder=folder,
        state=_state(events),
        device=text(begun, "device"),
        world_size=count(begun, "world_size"),
        parameters=count(begun, "parameters"),
        total_steps=count(begun, "total_steps"),
        measurements=_measurements(folder / "metrics.jsonl"),
        evaluations=_evaluations(events),
        best=_exported(events),
        incidents=tuple(incident(row) for row in events if text(row, "event") not in _ROUTINE),
        wall_seconds=_wall_seconds(events),
        predicted_terms=terms,
        predicted_peak_bytes=peak,
    )


def _measurements(path: Path) -> tuple[Measurement, ...]:
    # A resumed stage does the steps after its checkpoint again: of two rows for a step the later one counts.
    by_step = {int(step): row for row in read_rows(path) if (step := number(row, "step")) is not None}
    return tuple(
        Measurement(
            step=step,
            tokens=number(row, "tokens"),
            loss=number(row, "loss"),
            lr=number(row, "lr"),
            grad_norm=number(row, "grad_norm"),
            tokens_per_second=number(row, "tokens_per_second"),
            peak_memory_bytes=number(row, "peak_memory_bytes"),
            step_time_seconds=number(row, "step_time_seconds"),
        )
        for step, row in sorted(by_step.items())
    )


def _evaluations(events: tuple[Row, ...]) -> tuple[Evaluation, ...]:
    by_step: dict[int, float] = {}
    for row in events:
        step, loss = number(row, "step"), number(row, "loss")
        if text(row, "event") == "evaluation" and step is not None and loss is not None:
            by_step[int(step)] = loss
    return tuple(Evaluation(step, loss) for step, loss in sorted(by_step.items()))


def _exported(events: tuple[Row, ...]) -> Evaluation | None:
    """The evaluation of the weights that a stage ended with, where it kept its best ones."""
    row: Row = next((row for row in reversed(events) if text(row, "event") == "best"), {})
    step, loss = count(row, "step"), number(row, "loss")
    return None if step is None or loss is None else Evaluation(step, loss)


def incident(row: Row) -> Incident:
    """An event in words."""
    name = text(row, "event") or "unnamed"
    return Incident(number(row, "time"), name, _details(name, row))


def _details(name: str, row: Row) -> str:
    match name:
        case "failed" if message := text(row, "message"):
            return f"rank {count(row, 'rank')}: {message}"
        case "skipped":
            samples = row.get("samples")
            shown = f"samples {', '.join(str(sample) for sample in samples)}" if isinstance(samples, list) else "no samples named"
            return f"step {count(row, 'step')}: {text(row, 'reason')}, {shown}"
        case "stopped early":
            return f"step {count(row, 'step')}: {count(row, 'evaluations')} evaluations in a row without a lower held-out loss"
        case "profiled":
            return f"steps {count(row, 'first_step')} to {count(row, 'last_step')}, a trace a rank in {text(row, 'path')}/"
    return ", ".join(f"{name} {row[name]}" for name in sorted(row) if name not in ("time", "event"))


def _state(events: tuple[Row, ...]) -> str:
    names = [text(row, "event") for row in events]
    last = next((name for name in reversed(names) if name in (*_BEGINNINGS, *_ENDINGS)), None)
    if last is None:
        return "not started"
    return "ended without a word" if last in _BEGINNINGS else last


def _wall_seconds(events: tuple[Row, ...]) -> float:
    """The time of all launches together, without the pauses between them."""
    total, previous = 0.0, None
    for row in events:
        time = number(row, "time")
        if time is None:
            continue
        if previous is not None and text(row, "event") != "started":
            total += time - previous
        previous = time
    return total


def _predicted_memory(path: Path) -> tuple[Mapping[str, int], int | None]:
    if not path.is_file():
        return {}, None
    memory = json.loads(path.read_text(encoding="utf-8"))["memory"]
    return memory["terms"], memory["peak_bytes"]
