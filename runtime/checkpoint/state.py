"""Writes and reads everything that a run needs to go on as if it had never stopped.

Weights, moments, random generators, the loss scale, and the step, which is also the position in the data; the schedule has its own.
On the same mesh a resumed run continues bit for bit; on another sums are rounded in another order, and with another number of ranks
generators are seeded anew. Rates, decays and the schedule's shape are the plan's, which may have changed since.
"""

from __future__ import annotations

import io
import json
import logging
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.api import CheckpointException

from ..data import Corpus
from ..engines import Engine
from ..errors import StageError
from ..planfile import RunStrategy
from ..stage import Run
from . import folders
from . import progress as progress_of
from .progress import Progress

PROGRESS = "progress.json"

log = logging.getLogger("trainc.checkpoint")


@dataclass(frozen=True, slots=True)
class State:
    """What a checkpoint holds besides the progress; its parts change while training."""

    engine: Engine
    corpus: Corpus


def save(run: Run, state: State, progress: Progress) -> None:
    """Writes a checkpoint unless this step has one; every rank calls it."""
    root = run.folder.checkpoints
    folder, partial = folders.folder_of(root, progress.step), folders.partial_of(root, progress.step)
    if _agreed(run, folders.is_complete(folder) if run.leads else None):
        return
    try:
        if run.leads:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
        dist.barrier()
        state.engine.save(partial)
        _write_generators(run.device, partial / f"generators-{run.rank}.pt")
        dist.barrier()
        if run.leads:
            _write_progress(run, state, progress, partial)
            folders.complete(partial, folder)
            folders.prune(root, run.plan.checkpoint.keep, _best(run, progress))
            run.folder.event("checkpoint", step=progress.step, path=f"checkpoints/{folder.name}")
        dist.barrier()
    except (OSError, CheckpointException) as fault:
        raise StageError(f"cannot write the checkpoint {folder}: {_reason(fault, run.folder.root)}") from fault


def resume(run: Run, state: State) -> Progress:
    """Continues from the newest complete checkpoint and says so; a fresh start when there is none."""
    found = _agreed(run, folders.find(run.folder.checkpoints) if run.leads else None)
    if found.newest is None or not run.resume:
        return _start_afresh(run, found)
    content = json.loads((found.newest / PROGRESS).read_text(encoding="utf-8"))
    _refuse_another_run(run, state, content["identity"], found.newest)
    _read(run, state, content, found.newest)
    progress = _with_best_there(run, progress_of.read(content))
    log.info("resumed from %s; skipped %s", found.newest, ", ".join(found.skipped) or "nothing")
    if run.leads:
        run.folder.forget_metrics_after(progress.step)
        run.folder.event("resumed", step=progress.step, checkpoint=found.newest.name, skipped=list(found.skipped))
    return progress


def recall(run: Run, state: State, step: int) -> None:
    """Puts the weights of a checkpoint back, and with them all that its engine keeps."""
    folder = folders.folder_of(run.folder.checkpoints, step)
    content = json.loads((folder / PROGRESS).read_text(encoding="utf-8"))
    _load(run, state, folder, content["world_size"])


def _best(run: Run, progress: Progress) -> Path | None:
    """The checkpoint that stays however old it is."""
    if not run.plan.checkpoint.keep_best or progress.best is None:
        return None
    return folders.folder_of(run.folder.checkpoints, progress.best.step)


def _with_best_there(run: Run, progress: Progress) -> Progress:
    """Forgets a best evaluation without a checkpoint: of a plan that kept none, or removed for one that was lost later."""
    best = _best(run, progress)
    if best is None or _agreed(run, folders.is_complete(best) if run.leads else None):
        return progress
    log.warning("%s had the lowest held-out loss and is not there: the next evaluation begins anew", best)
    return replace(progress, best=None)


def _start_afresh(run: Run, found: folders.Found) -> Progress:
    if found.newest is not None:
        raise StageError(f"{found.newest} is there and TRAINC_RESUME is never: resume it, or choose another run folder")
    if run.leads:
        run.folder.forget_metrics_after(0)
    if found.skipped:
        log.warning("no complete checkpoint: %s cannot be resumed", ", ".join(found.skipped))
    return Progress(0, 0)


def _read(run: Run, state: State, content: dict[str, Any], folder: Path) -> None:
    planned = [{name: value for name, value in group.items() if name != "params"} for group in state.engine.optimizer.param_groups]
    _load(run, state, folder, content["world_size"])
    _follow_plan(state, planned, content["schedule"])
    state.engine.scaling.restore(content["loss_scale"])
    if content["world_size"] == run.world_size:
        _restore_generators(torch.load(folder / f"generators-{run.rank}.pt", weights_only=True), run.device)
    else:
        # Any seed that no rank used before; the masks already drawn cannot be had again.
        torch.manual_seed(run.plan.seed + content["step"] * run.world_size + run.rank)


def _load(run: Run, state: State, folder: Path, world_size: int) -> None:
    try:
        state.engine.load(folder, world_size)
    except (OSError, CheckpointException) as fault:
        raise StageError(f"cannot read the checkpoint {folder}: {_reason(fault, run.folder.root)}") from fault


def _follow_plan(state: State, planned: list[dict[str, Any]], written: dict[str, Any]) -> None:
    """Puts the plan's settings back over those that the checkpoint's optimizer and schedule brought along."""
    schedule, step = state.engine.schedule, written["last_epoch"]
    rates = [base * shape(step) for base, shape in zip(schedule.base_lrs, schedule.lr_lambdas, strict=True)]
    schedule.load_state_dict({**written, "base_lrs": schedule.base_lrs, "_last_lr": rates})
    for group, settings, rate in zip(state.engine.optimizer.param_groups, planned, rates, strict=True):
        group.update({**settings, "lr": rate})


def _write_progress(run: Run, state: State, progress: Progress, folder: Path) -> None:
    content = {
        **asdict(progress),
        "world_size": run.world_size,
        "identity": _identity(run, state),
        "schedule": state.engine.schedule.state_dict(),
        "loss_scale": state.engine.scaling.state() if state.engine.scaling.dynamic else {},
    }
    (folder / PROGRESS).write_text(json.dumps(content, indent=2, sort_keys=True), encoding="utf-8")


def _identity(run: Run, state: State) -> dict[str, Any]:
    """What must not change between a run and its continuation. The mesh may, and so may the length of the run."""
    plan = run.plan
    return {
        "model": plan.model.model_type,
        "parameters": plan.model.parameters,
        "architecture": dict(plan.model.config),
        "adapter": asdict(plan.adapter) if plan.adapter else None,
        "quantization": asdict(plan.model.quantization) if plan.model.quantization else None,
        "frozen weights": [plan.model.source, plan.model.path, plan.model.revision] if plan.adapter else None,
        "stored precision": plan.precision.params,
        "objective": plan.objective.name,
        "seed": plan.seed,
        "documents": state.corpus.key,
        "sequence": plan.data.sequence,
        "shuffle": plan.data.shuffle,
        "data seed": plan.data.seed,
        "packing": plan.data.packing,
        "global batch": plan.batch.global_size,
        "optimizer": plan.optimizer.name,
        # Without one sgd has no states, and with one it has.
        "momentum": plan.optimizer.momentum if plan.optimizer.name == "sgd" else None,
        "form of the checkpoint": _form(plan.strategy),
    }


def _form(strategy: RunStrategy) -> str:
    """DeepSpeed's stages write files of their own; torch's ways to spread share one form."""
    return f"{strategy.name}, offload {strategy.offload_optimizer}" if strategy.offload_optimizer else "torch"


def _refuse_another_run(run: Run, state: State, written: dict[str, Any], folder: Path) -> None:
    changed = [name for name, value in _identity(run, state).items() if written.get(name, value) != value]
    if changed:
        raise StageError(f"{folder} was written by another plan: {', '.join(changed)} changed since; choose another run folder")


def _write_generators(device: torch.device, path: Path) -> None:
    content = io.BytesIO()
    torch.save(
        {
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.empty(0),
        },
        content,
    )
    # Written by Python, which says why when the disk is full; torch's own writer does not.
    path.write_bytes(content.getvalue())


def _restore_generators(states: dict[str, torch.Tensor], device: torch.device) -> None:
    torch.set_rng_state(states["torch"])
    # What a CPU wrote holds no state of a GPU's generator, which then stays as the plan's seed left it.
    if device.type == "cuda" and len(states["cuda"]):
        torch.cuda.set_rng_state(states["cuda"], device)


def _agreed(run: Run, value: Any) -> Any:
    """Rank 0's value on every rank."""
    box = [value]
    dist.broadcast_object_list(box, src=0, device=torch.device("cpu"))
    return box[0]


def _reason(fault: BaseException, root: Path) -> str:
    if isinstance(fault, CheckpointException):
        fault = next((failure for failure, _ in fault.failures.values()), fault)
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror.lower()
    # torch's writer does not pass on what the system said; a full disk is the usual cause.
    free = shutil.disk_usage(root).free // 10**6
    return f"{str(fault).strip().splitlines()[0]} ({free} MB are free there)"
