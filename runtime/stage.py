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
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy
import torch
import torch.distributed as dist
from transformers.utils.logging import disable_progress_bar

from . import place
from .errors import Interrupted, StageError
from .interruption import Interruption
from .memory import PeakMemory
from .mesh import AXES, Meshes, lay_out
from .planfile import PlanFileError, RunPlan, read
from .run_folder import RunFolder

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
    try:
        interruption = Interruption()
        interruption.listen()
        run = _start(here, folder, plan_path, interruption)
        main(run)
        if run.leads:
            folder.event("finished")
        _leave_together(0)
    except Interrupted as stop:
        log.info("%s", stop)
        if here.rank == 0 and folder.root.is_dir():
            folder.event("interrupted", step=stop.step)
        _leave_at_once(INTERRUPTED)
    except (StageError, PlanFileError) as fault:
        log.error("%s", fault)
        _report(folder, here.rank, type(fault).__name__, str(fault), hint="")
        _leave_at_once(1)
    except Exception as crash:
        log.exception("crashed")
        kind, message = _describe(crash)
        _report(folder, here.rank, kind, message, hint=f"; traceback in {folder.root}/log/rank-{here.rank}.log")
        _leave_at_once(1)


def _start(here: place.Place, folder: RunFolder, plan_path: Path, interruption: Interruption) -> Run:
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
    store, device = place.join_group(here, place.choose_device(plan, here))
    meshes = lay_out(plan.mesh, device)
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
    # Ranks that see different samples draw different dropout masks; weights and sample order have generators of their own.
    seed = plan.seed + meshes.index("dp")
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    if plan.deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(mode=True)
        torch.backends.cudnn.benchmark = False


def _describe(crash: Exception) -> tuple[str, str]:
    text = str(crash).strip() or type(crash).__name__
    # Only the ranks that outlive another see this: the cause is the other rank's end.
    if isinstance(crash, RuntimeError) and any(sign in text for sign in ("Connection closed by peer", "Connection reset")):
        return "PeerLost", "another rank ended while this one waited for it"
    return type(crash).__name__, text.splitlines()[0]


def _report(folder: RunFolder, rank: int, kind: str, message: str, hint: str) -> None:
    try:
        first = folder.fail(rank, kind, message)
    except (OSError, StageError):
        # The run folder itself is what failed; a rank alone can still speak.
        first = rank == 0
    if first:
        label = message if kind in ("StageError", "PlanFileError") else f"rank {rank} failed: {kind}: {message}"
        print(f"error: {label}{hint}", file=sys.stderr)


def _leave_together(code: int) -> NoReturn:
    _flush()
    dist.barrier()
    dist.destroy_process_group()
    sys.exit(code)


def _leave_at_once(code: int) -> NoReturn:
    # Waiting for the others could hang: they may be inside a collective that this rank never joins.
    _flush()
    os._exit(code)


def _flush() -> None:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
