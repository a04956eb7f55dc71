"""The training loop: the same for every strategy, objective and device."""

from __future__ import annotations

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
from .nonfinite import Nonfinite
from .place import let_groups_wait
from .planfile import RunEvaluation
from .profile import Tracing
from .stage import Run


@dataclass(frozen=True, slots=True)
class _Fit:
    """What stays the same over the steps of one training."""

    run: Run
    engine: Engine
    corpus: Corpus
    meter: Meter
    tracing: Tracing
    nonfinite: Nonfinite
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
    let_groups_wait(run.timeout)
    with closing(Meter(run, progress.step)) as meter, Tracing(run, meter) as tracing, run.interruption.deferred():
        progress = _train(_Fit(run, engine, corpus, meter, tracing, Nonfinite(run), state), progress)
        if plan.checkpoint.keep_best:
            _return_to_best(run, state, progress)
    run.watch.at(progress.step, "export")


def _train(fit: _Fit, progress: Progress) -> Progress:
    """The progress with which training ended: at the last step, or out of patience."""
    run, plan = fit.run, fit.run.plan
    share, pin = run.meshes.index("dp"), run.device.type == "cuda"
    batches = micro_batches(fit.corpus.train, plan.data, plan.batch, share, first_step=progress.step, pin=pin)
    if plan.evaluation and progress.step == 0:
        with fit.meter.aside():
            # Where training begins: nothing to keep yet, and nothing to be impatient about.
            _evaluate(fit, plan.evaluation, progress.step)
    while not _is_over(run, progress):
        step = progress.step + 1
        run.watch.at(step, "data")
        micro = list(islice(batches, plan.batch.accumulation))
        targets, asked = _agree(run, micro, asked=run.interruption.asked)
        if asked:
            checkpoint.save(run, fit.state, progress)
            raise Interrupted(f"stopped after step {progress.step}; resume from its checkpoint", progress.step)
        fit.tracing.before(step)
        result = _step(fit, micro, targets, step)
        fit.tracing.after(step)
        fit.meter.count(targets, skipped=result is None or result.skipped)
        progress = _after_step(fit, progress.stepped(targets), result)
    return progress


def _is_over(run: Run, progress: Progress) -> bool:
    patience = run.plan.evaluation.patience if run.plan.evaluation else None
    return progress.step >= run.plan.schedule.total_steps or progress.exhausts(patience)


def _after_step(fit: _Fit, progress: Progress, result: StepResult | None) -> Progress:
    """The progress with what an evaluation said, which is made before the step is saved."""
    plan, step = fit.run.plan, progress.step
    last = step == plan.schedule.total_steps
    if plan.evaluation and (last or step % plan.evaluation.every_steps == 0):
        with fit.meter.aside():
            progress = progress.evaluated(_evaluate(fit, plan.evaluation, step))
    over = _is_over(fit.run, progress)
    if result and (over or step % plan.logging.every_steps == 0):
        fit.meter.row(step, progress.tokens, result)
    with fit.meter.aside():
        if over or step % plan.checkpoint.every_steps == 0:
            fit.run.watch.at(step, "checkpoint")
            checkpoint.save(fit.run, fit.state, progress)
    if over and not last and fit.run.leads:
        fit.run.folder.event("stopped early", step=step, evaluations=progress.without_progress)
    return progress


def _evaluate(fit: _Fit, settings: RunEvaluation, step: int) -> float:
    samples = fit.corpus.heldout
    assert samples is not None, "a corpus that is to be evaluated holds something out"
    fit.run.watch.at(step, "evaluation")
    loss = held_out_loss(fit.run, fit.engine, samples, settings)
    fit.meter.evaluated(step, loss)
    return loss


def _return_to_best(run: Run, state: checkpoint.State, progress: Progress) -> None:
    """Puts back the weights of the lowest held-out loss, which the export then holds."""
    best = progress.best
    if best is None:
        raise StageError("no evaluation had a loss that is a number: there is no best checkpoint to export")
    run.watch.at(progress.step, "best checkpoint")
    if best.step != progress.step:
        checkpoint.recall(run, state, best.step)
    if run.leads:
        run.folder.event("best", step=best.step, loss=best.loss)


def _agree(run: Run, micro: list[Batch], asked: bool) -> tuple[int, bool]:
    """The step's targets over all samples, and whether any rank was asked to stop: one small message for both."""
    targets = sum(int((batch.targets != IGNORED).sum()) for batch in micro)
    shared = _over_ranks(run, torch.tensor([targets, int(asked)]))
    # Ranks that differ in cp, tp or pp counted the same samples.
    return int(shared[0]) * run.plan.batch.data_parallel // run.world_size, bool(shared[1])


def _over_ranks(run: Run, own: torch.Tensor) -> torch.Tensor:
    """The sum over all ranks; a message to oneself would cost a small model's step a percent."""
    if run.world_size > 1:
        dist.all_reduce(own)
    return own


def _step(fit: _Fit, micro: list[Batch], targets: int, step: int) -> StepResult | None:
    """None where the step is left out, because its loss or its gradient norm is no number."""
    run, engine = fit.run, fit.engine
    # The plan's own: groups may have others.
    lr, scaling = run.plan.optimizer.lr * engine.schedule.lr_lambdas[0](engine.schedule.last_epoch), engine.scaling
    scale = scaling.value if scaling.dynamic else None
    run.watch.at(step, "forward and backward")
    losses = engine.accumulate(micro, targets).double().cpu()
    mean = _over_ranks(run, losses.sum()).item() / max(1, targets)
    if not math.isfinite(mean):
        suspects = [batch for batch, loss in zip(micro, losses, strict=True) if not loss.isfinite()]
        fit.nonfinite.met(step, f"the loss is {mean}", suspects)
        engine.drop()
        return None
    run.watch.at(step, "update")
    norm = engine.update()
    # A dynamic loss scale expects gradients that overflow, and has left the step out already.
    if not math.isfinite(norm) and not scaling.dynamic:
        fit.nonfinite.met(step, f"the gradient norm is {norm}, at a loss of {mean:.4f}", micro)
        return None
    fit.nonfinite.passed()
    return StepResult(loss=mean, grad_norm=norm, lr=lr, loss_scale=scale)
