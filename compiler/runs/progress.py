"""The progress of a stage as a value: made from rows of metrics and events, told as one line."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .rows import Row, count, number, text
from .wording import duration


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a stage stands. `first_step` and `first_seconds` are where the clock for the time left began."""

    stage: str
    phase: str = "starting"
    step: int | None = None
    total_steps: int | None = None
    loss: float | None = None
    tokens_per_second: float | None = None
    held_out_loss: float | None = None
    first_step: int | None = None
    first_seconds: float = 0.0
    seconds_left: float | None = None


def after_event(progress: Progress, row: Row, seconds: float) -> Progress:
    """The progress after an event that was seen at `seconds` of a steady clock."""
    match text(row, "event"):
        case "started":
            return replace(progress, phase="preparing", total_steps=count(row, "total_steps"))
        case "resumed":
            return replace(progress, step=count(row, "step"), first_step=count(row, "step"), first_seconds=seconds)
        case "evaluation":
            return replace(progress, phase="training", held_out_loss=number(row, "loss"))
        case "exported" | "finished" | "interrupted" | "failed" as name:
            return replace(progress, phase=name)
        case _:
            return progress


def after_metrics(progress: Progress, row: Row, seconds: float) -> Progress:
    """The progress after a row of metrics that was seen at `seconds` of a steady clock."""
    step = count(row, "step")
    if step is None or (progress.step is not None and step <= progress.step):
        return progress
    advanced = replace(
        progress,
        phase="training",
        step=step,
        loss=number(row, "loss"),
        tokens_per_second=number(row, "tokens_per_second"),
    )
    if progress.first_step is None:
        pace = number(row, "step_time_seconds")
        return replace(advanced, first_step=step, first_seconds=seconds, seconds_left=_left(advanced, pace))
    # The clock on the wall counts evaluations and checkpoints too, which the time of a step does not.
    pace = (seconds - progress.first_seconds) / (step - progress.first_step)
    return replace(advanced, seconds_left=_left(advanced, pace))


def line(progress: Progress) -> str:
    """The progress in words, for a line of at most about 100 characters."""
    if progress.step is None:
        return progress.phase
    parts = [f"step {progress.step}" + (f"/{progress.total_steps}" if progress.total_steps else "")]
    if progress.loss is not None:
        parts.append(f"loss {progress.loss:.3f}")
    if progress.held_out_loss is not None:
        parts.append(f"held-out {progress.held_out_loss:.3f}")
    if progress.tokens_per_second is not None:
        parts.append(f"{progress.tokens_per_second:,.0f} tokens/s")
    if progress.seconds_left is not None and progress.phase == "training":
        parts.append(f"{duration(progress.seconds_left)} left")
    if progress.phase != "training":
        parts.append(progress.phase)
    return "  ".join(parts)


def _left(progress: Progress, pace: float | None) -> float | None:
    if pace is None or progress.total_steps is None or progress.step is None:
        return None
    return max(progress.total_steps - progress.step, 0) * pace
