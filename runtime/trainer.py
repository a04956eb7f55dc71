"""The training loop: the same for every strategy, objective and device."""

from __future__ import annotations

import logging
import math
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

import torch
import torch.distributed as dist

from . import checkpoint
from .checkpoint import Progress
from .data import IGNORED, Batch, Corpus, micro_batches
from .engines import Engine
from .errors import Interrupted, StageError
from .evaluation import held_out_loss
from .metrics import Meter, StepResult
from .stage import Run

SAMPLES_NAMED = 8

log = logging.getLogger("trainc.trainer")


@dataclass(frozen=True, slots=True)
class _Fit:
    """What stays the same over the steps of one training."""

    run: Run
    engine: Engine
    corpus: Corpus
    meter: Meter
    state: checkpoint.State


def fit(run: Run, engine: Engine, corpus: Corpus) -> None:
    """Trains from the newest checkpoint, or from the start, to the plan's last step."""
    plan = run.plan
    if run.leads:
        run.folder.event(
            "started",
            world_size=run.world_size,
            device=run.device.type,
            total_steps=plan.schedule.total_steps,
            parameters=plan.model.parameters,
        )
    state = checkpoint.State(engine, corpus)
    progress = checkpoint.resume(run, state)
    with closing(Meter(run, progress.step)) as meter, run.interruption.deferred():
        _train(_Fit(run, engine, corpus, meter, state), progress)


def _train(fit: _Fit, progress: Progress) -> None:
    run, plan = fit.run, fit.run.plan
    share, pin = run.meshes.index("dp"), run.device.type == "cuda"
    batches = micro_batches(fit.corpus.train, plan.data, plan.batch, share, first_step=progress.step, pin=pin)
    if progress.step == 0:
        with fit.meter.aside():
            _evaluate(fit, progress.step)
    while progress.step < plan.schedule.total_steps:
        micro = list(islice(batches, plan.batch.accumulation))
        targets, asked = _agree(run, micro, asked=run.interruption.asked)
        if asked:
            checkpoint.save(run, fit.state, progress)
            raise Interrupted(f"stopped after step {progress.step}; resume from its checkpoint", progress.step)
        result = _step(fit, micro, targets, progress.step + 1)
        progress = Progress(progress.step + 1, progress.tokens + targets)
        fit.meter.count(result)
        _after_step(fit, progress, result)


def _after_step(fit: _Fit, progress: Progress, result: StepResult) -> None:
    plan, step = fit.run.plan, progress.step
    last = step == plan.schedule.total_steps
    if last or step % plan.logging.every_steps == 0:
        fit.meter.row(step, progress.tokens, result)
    with fit.meter.aside():
        if last or (plan.evaluation and step % plan.evaluation.every_steps == 0):
            _evaluate(fit, step)
        if last or step % plan.checkpoint.every_steps == 0:
            checkpoint.save(fit.run, fit.state, progress)


def _evaluate(fit: _Fit, step: int) -> None:
    settings, samples = fit.run.plan.evaluation, fit.corpus.heldout
    if settings and samples is not None:
        fit.meter.evaluated(step, held_out_loss(fit.run, fit.engine, samples, settings))


def _agree(run: Run, micro: list[Batch], asked: bool) -> tuple[int, bool]:
    """The step's targets over all samples, and whether any rank was asked to stop: one small message for both."""
    targets = sum(int((batch.targets != IGNORED).sum()) for batch in micro)
    shared = torch.tensor([targets, int(asked)])
    dist.all_reduce(shared)
    # Ranks that differ in cp, tp or pp counted the same samples.
    return int(shared[0]) * run.plan.batch.data_parallel // run.world_size, bool(shared[1])


def _step(fit: _Fit, micro: list[Batch], targets: int, step: int) -> StepResult:
    lr = fit.engine.schedule.get_last_lr()[0]
    losses = fit.engine.accumulate(micro, targets)
    mean = _mean_loss(fit.run, micro, losses, targets, step)
    norm = fit.engine.update()
    if not math.isfinite(norm):
        raise StageError(f"the gradient norm is {norm} in step {step}, at a loss of {mean:.4f}: lower the learning rate")
    return StepResult(loss=mean, grad_norm=norm, lr=lr, tokens=targets)


def _mean_loss(run: Run, micro: list[Batch], losses: torch.Tensor, targets: int, step: int) -> float:
    mine = losses.double().cpu()
    total = mine.sum()
    dist.all_reduce(total)
    if math.isfinite(total.item()):
        return total.item() / max(1, targets)
    # Every rank sees the same total, so all of them come here and can ask each other.
    bad = [sample for batch, value in zip(micro, mine, strict=True) if not value.isfinite() for sample in batch.samples]
    found: list[list[int]] = [[] for _ in range(run.world_size)]
    dist.all_gather_object(found, bad)
    samples = sorted({sample for part in found for sample in part})
    shown = ", ".join(str(sample) for sample in samples[:SAMPLES_NAMED])
    more = f" and {len(samples) - SAMPLES_NAMED} more" if len(samples) > SAMPLES_NAMED else ""
    raise StageError(f"the loss is {total.item()} in step {step}, from the micro-batches of samples {shown}{more}")
