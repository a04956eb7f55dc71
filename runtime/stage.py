"""Starts and ends one stage on one rank.

Exit codes: 0 done, 1 failed (one sentence on stderr from one rank; a bug's traceback in its log), 75 interrupted and resumable.
The launcher's environment: TRAINC_RUN_DIR (required), TRAINC_DATA_ROOT (default: the working folder), TRAINC_CACHE_DIR
(default: `cache` beside the run folder), TRAINC_RESUME (`auto`, the default, or `never`), and torchrun's variables.
"""

from __future__ import annotations

import logging
import math
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import numpy
import torch
import torch.distributed as dist
from transformers.utils.logging import disable_progress_bar

from . import place
from .ending import describe, leave_at_once, leave_together, report, way_back
from .errors import Interrupted, StageError
from .interruption import Interruption
from .memory import PeakMemory
from .mesh import AXES, Meshes, lay_out
from .planfile import PlanFileError, RunPlan, read
from .run_folder import RunFolder
from .watch import Watch, concerns_another_rank

INTERRUPTED = 75  # sysexits' EX_TEMPFAIL: try again, nothing is lost

log = logging.getLogger("trainc")


@dataclass(frozen=True, slots=True)
class Run:
    """One rank of a running stage; paths are absolute. `stage_folder` holds the plan."""

    plan: RunPlan
    rank: int
    world_size: int
    device: torch.device
    meshes: Meshes
    store: dist.Store
    stage_folder: Path
    folder: RunFolder
    data_root: Path
    cache: Path
    resume: bool
    interruption: Interruption
    memory: PeakMemory
    watch: Watch

    @property
    def timeout(self) -> timedelta:
        """How long a rank waits for the others."""
        return timedelta(seconds=self.plan.timeout_seconds)

    @property
    def leads(self) -> bool:
        """Whether this rank writes what the group needs once."""
        return self.rank == 0

    def export_of(self, stage: str) -> Path:
        """Where an earlier stage of the same pipeline left its model and tokenizer."""
        folder = self.folder.root.parent / stage / "export"
        if not folder.is_dir():
            raise StageError(f"stage `{stage}` has no export at {folder}: run it first")
        return folder

    def model_place(self) -> str | Path:
        """Where transformers finds the weights of a model that does not start at random."""
        model = self.plan.model
        if model.path is None:
            raise StageError(f"the plan's model comes from `{model.source}` and names no path")
        match model.source:
            case "local":
                return self.data_root / model.path
            case "stage":
                return self.export_of(model.path)
            case "hf":
                return model.path
            case other:
                raise StageError(f"the plan's model source is `{other}`, this runtime knows random, local, hf and stage")


def launch(main: Callable[[Run], None], plan_path: Path) -> NoReturn:
    """Runs `main` on this rank and leaves the process with the stage's exit code."""
    here = place.from_environment()
    folder = RunFolder(Path(os.environ.get("TRAINC_RUN_DIR", "")).absolute())
    watch = Watch(here.rank, here.world_size)

    def fail(kind: str, message: str, hint: str = "") -> None:
        report(folder, here, kind, message, hint + (way_back(folder) if watch.step else ""))
        watch.leave()
        leave_at_once(1)

    try:
        interruption = Interruption()
        interruption.listen()
        run = _start(here, folder, plan_path, interruption, watch)
        watch.begin(run.store, folder.flight, run.plan.timeout_seconds, lambda sentence: fail("StageError", sentence))
        _explained(main, run)
        if run.leads:
            folder.event("finished")
        leave_together(watch)
    except Interrupted as stop:
        log.info("%s", stop)
        # A launcher stops the ranks that are left when one has failed.
        if here.rank == 0 and folder.root.is_dir() and not folder.failure.exists():
            folder.event("interrupted", step=stop.step)
        watch.leave(interrupted=True)
        leave_at_once(INTERRUPTED)
    except (StageError, PlanFileError) as fault:
        log.error("%s", fault)
        fail(type(fault).__name__, str(fault))
    except Exception as crash:
        log.exception("crashed")
        fail(*describe(crash), hint=f"; traceback in {folder.root}/log/rank-{here.rank}.log")


def _explained(main: Callable[[Run], None], run: Run) -> None:
    try:
        main(run)
    except RuntimeError as crash:
        if not concerns_another_rank(crash):
            raise
        with run.interruption.deferred():
            raise run.watch.explain(crash) from crash


def _start(here: place.Place, folder: RunFolder, plan_path: Path, interruption: Interruption, watch: Watch) -> Run:
    if not os.environ.get("TRAINC_RUN_DIR"):
        raise StageError("TRAINC_RUN_DIR is not set: it names the folder that this stage writes into")
    folder.open(here.rank)
    if here.rank == 0:
        folder.forget_failure()
    plan = read(plan_path)
    if here.rank == 0:
        folder.keep_plan(plan_path)
    _refuse_unsupported(plan, here)
    disable_progress_bar()
    device, timeout = place.choose_device(plan, here), timedelta(seconds=plan.timeout_seconds)
    store = place.meet(here, timeout)
    place.refuse_another_bundle(here, store, plan_path)
    # Where NCCL writes its flight recorder by itself.
    os.environ.setdefault("TORCH_FR_DUMP_TEMP_FILE", str(folder.flight / "rank-"))
    device = place.join_group(here, device, store, timeout)
    meshes = lay_out(plan.mesh, device)
    place.let_groups_wait(timeout)
    _seed(plan, meshes)
    log.info("rank %d of %d on %s", here.rank, here.world_size, device)
    return Run(
        plan=plan,
        rank=here.rank,
        world_size=here.world_size,
        device=device,
        meshes=meshes,
        store=store,
        stage_folder=plan_path.absolute().parent,
        folder=folder,
        data_root=Path(os.environ.get("TRAINC_DATA_ROOT", ".")).absolute(),
        cache=Path(os.environ.get("TRAINC_CACHE_DIR", str(folder.root.parent / "cache"))).absolute(),
        resume=_resume_policy(),
        interruption=interruption,
        memory=PeakMemory(device),
        watch=watch,
    )


def _refuse_unsupported(plan: RunPlan, here: place.Place) -> None:
    mesh, batch = plan.mesh, plan.batch
    if here.world_size != plan.world_size:
        raise StageError(
            f"the plan is for {plan.world_size} ranks ({plan.nodes} nodes of {plan.gpus_per_node}), "
            f"this launch has {here.world_size}"
        )
    degrees = math.prod(getattr(mesh, axis) for axis in AXES)
    if degrees != plan.world_size or batch.data_parallel != mesh.dp_replicate * mesh.dp_shard:
        shown = " x ".join(f"{axis} {getattr(mesh, axis)}" for axis in AXES)
        raise StageError(f"{shown} and a data-parallel size of {batch.data_parallel} do not make {plan.world_size} ranks")
    if batch.micro * batch.accumulation * batch.data_parallel != batch.global_size:
        raise StageError(
            f"micro {batch.micro} x accumulation {batch.accumulation} x data parallel {batch.data_parallel} "
            f"is not the global batch of {batch.global_size}"
        )


def _resume_policy() -> bool:
    policy = os.environ.get("TRAINC_RESUME", "auto")
    if policy not in ("auto", "never"):
        raise StageError(f"TRAINC_RESUME is `{policy}`, not auto or never")
    return policy == "auto"


def _seed(plan: RunPlan, meshes: Meshes) -> None:
    # Ranks that see different tokens draw different dropout masks; weights and sample order have generators of their own.
    seed = plan.seed + meshes.index("dp") * meshes.size("cp") + meshes.index("cp")
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    if plan.deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        # flash-attn's backward pass is none of torch's: transformers hands this on to it.
        os.environ.setdefault("FLASH_ATTENTION_DETERMINISTIC", "1")
        torch.use_deterministic_algorithms(mode=True)
        torch.backends.cudnn.benchmark = False
