"""Lengths in epochs as steps: known once the corpus is, and read by everything from then on."""

from __future__ import annotations

import math
from dataclasses import replace

from .data import Corpus
from .errors import StageError
from .planfile import RunExtent, RunPlan, RunSchedule
from .stage import Run


def measured(run: Run, corpus: Corpus) -> tuple[Run, RunPlan]:
    """The run and its plan with every length in steps; raises StageError where something is longer than the run."""
    schedule = in_steps(run.plan.schedule, len(corpus.train) / run.plan.batch.global_size)
    plan = replace(run.plan, schedule=schedule)
    _refuse_what_does_not_fit(plan)
    return replace(run, plan=plan), plan


def in_steps(schedule: RunSchedule, epoch: float) -> RunSchedule:
    """The schedule over a corpus whose every pass takes `epoch` steps; what a pass begins is counted whole."""
    declared = schedule.epochs
    if declared is None:
        return schedule
    total = max(1, schedule.total_steps or _steps(declared.total, epoch, 0))
    warmup = schedule.warmup_steps if declared.warmup is None else _steps(declared.warmup, epoch, total)
    decay = schedule.decay_steps if declared.decay is None else _steps(declared.decay, epoch, total)
    return replace(schedule, total_steps=total, warmup_steps=warmup, decay_steps=decay, epochs=None)


def _steps(extent: RunExtent | None, epoch: float, total: int) -> int:
    assert extent is not None, "the plan has a length either in steps or as it was declared"
    whole = total / 100 if extent.unit == "percent" else epoch
    # The rounding hides 0.07 * 300 == 21.000000000000004, as in the compiler.
    return math.ceil(round(extent.value * whole, 9))


def _refuse_what_does_not_fit(plan: RunPlan) -> None:
    schedule, profile = plan.schedule, plan.logging.profile
    total, warmup, decay = schedule.total_steps or 0, schedule.warmup_steps or 0, schedule.decay_steps or 0
    if warmup + decay > total:
        raise StageError(
            f"the run has {total} steps over this data, fewer than its warmup of {warmup} and its decay of {decay}: "
            "shorten them, or train longer"
        )
    if profile and profile.step + profile.count - 1 > total:
        last = profile.step + profile.count - 1
        raise StageError(f"the profiler would write after step {last}, and the run has {total} steps over this data")
