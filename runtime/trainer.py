"""The training loop: the same for every strategy, objective and device."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

import torch
import torch.distributed as dist
from torch.optim.lr_scheduler import LambdaLR

from . import checkpoint
from .checkpoint import Progress
from .data import IGNORED, Batch, Corpus, micro_batches
from .errors import Interrupted, StageError
from .evaluation import LossFunction, held_out_loss
from .metrics import Meter, StepResult
from .network import Network
from .stage import Run

SAMPLES_NAMED = 8

log = logging.getLogger("trainc.trainer")


def fit(
    run: Run,
    network: Network,
    corpus: Corpus,
    loss: LossFunction,
    optimizer: torch.optim.Optimizer,
    schedule: LambdaLR,
) -> None:
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
    state = checkpoint.State(network, optimizer, schedule, corpus)
    progress = checkpoint.resume(run, state)
    batches = micro_batches(
        corpus.train, plan.data, plan.batch, run.rank, first_step=progress.step, pin=run.device.type == "cuda"
    )
    with closing(Meter(run, progress.step)) as meter, run.interruption.deferred():
        if progress.step == 0:
            _evaluate(run, network, corpus, loss, meter, progress.step)
        while progress.step < plan.schedule.total_steps:
            micro = list(islice(batches, plan.batch.accumulation))
            targets, asked = _agree(micro, asked=run.interruption.asked)
            if asked:
                _stop(run, state, progress)
            result = _step(run, network, micro, targets, loss, optimizer, schedule, progress.step + 1)
            progress = Progress(progress.step + 1, progress.tokens + targets)
            meter.count(result)
            _after(run, network, corpus, loss, meter, state, progress, result)


def _after(
    run: Run,
    network: Network,
    corpus: Corpus,
    loss: LossFunction,
    meter: Meter,
    state: checkpoint.State,
    progress: Progress,
    result: StepResult,
) -> None:
    plan, step = run.plan, progress.step
    last = step == plan.schedule.total_steps
    if last or step % plan.logging.every_steps == 0:
        meter.row(step, progress.tokens, result)
    with meter.aside():
        if plan.evaluation and (last or step % plan.evaluation.every_steps == 0):
            _evaluate(run, network, corpus, loss, meter, step)
        if last or step % plan.checkpoint.every_steps == 0:
            checkpoint.save(run, state, progress)


def _agree(micro: list[Batch], asked: bool) -> tuple[int, bool]:
    """The step's targets over all ranks, and whether any rank was asked to stop: one small message for both."""
    targets = sum(int((batch.targets != IGNORED).sum()) for batch in micro)
    shared = torch.tensor([targets, int(asked)])
    dist.all_reduce(shared)
    return int(shared[0]), bool(shared[1])


def _step(
    run: Run,
    network: Network,
    micro: list[Batch],
    targets: int,
    loss: LossFunction,
    optimizer: torch.optim.Optimizer,
    schedule: LambdaLR,
    step: int,
) -> StepResult:
    lr = schedule.get_last_lr()[0]
    losses = list(_backward(run, network, micro, targets, loss))
    mean = _mean_loss(run, micro, losses, targets, step)
    norm = network.clip(run.plan.clip).item()
    if not math.isfinite(norm):
        raise StageError(
            f"the gradient norm is {norm} in step {step}, at a loss of {mean:.4f}: lower the learning rate"
        )
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    return StepResult(loss=mean, grad_norm=norm, lr=lr, tokens=targets)


def _backward(
    run: Run, network: Network, micro: list[Batch], targets: int, loss: LossFunction
) -> Iterator[torch.Tensor]:
    """Adds up gradients; yields each micro-batch's summed loss.

    Strategies average gradients over the ranks, so the sum is scaled by their number to become a mean over all targets.
    """
    scale = run.world_size / max(1, targets)
    for number, batch in enumerate(micro, start=1):
        with network.exchange(number == len(micro)):
            summed = loss(network, batch.to(run.device))
            (summed * scale).backward()
        yield summed.detach()


def _mean_loss(run: Run, micro: list[Batch], losses: list[torch.Tensor], targets: int, step: int) -> float:
    mine = torch.stack(losses).double().cpu()
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


def _evaluate(run: Run, network: Network, corpus: Corpus, loss: LossFunction, meter: Meter, step: int) -> None:
    if run.plan.evaluation and corpus.heldout is not None:
        meter.evaluated(step, held_out_loss(run, network, corpus.heldout, run.plan.evaluation, loss))


def _stop(run: Run, state: checkpoint.State, progress: Progress) -> None:
    checkpoint.save(run, state, progress)
    if run.leads:
        run.folder.event("interrupted", step=progress.step)
    raise Interrupted(f"stopped after step {progress.step}; resume from its checkpoint")
