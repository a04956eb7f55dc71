"""Runs the stages of a bundle on this machine, in order, into a run folder."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from trainc.dsl.diagnostics import Diagnostic, Severity

from . import faults, report
from .bundle_folder import BundleFolder, BundleStage, read_bundle
from .display import Display, display_on
from .launch import Finished, Interrupted, StageEnd, StageLaunch, cannot_launch, run_stage
from .record import RunRecord
from .runfolder import is_finished, new_run, newest_run, working_on
from .summary import print_summary
from .verdict import Failure


@dataclass(frozen=True, slots=True)
class PipelineEnd:
    """How a run ended: its folder once there is one, and what went wrong, if anything.

    `interrupted` is set, and `fault` is not, where the user stopped the run; a warning is no failure.
    """

    folder: Path | None
    fault: Diagnostic | None = None
    interrupted: bool = False

    @property
    def finished(self) -> bool:
        """Whether every stage that was asked for is finished."""
        failed = self.fault is not None and self.fault.severity is Severity.ERROR
        return not failed and not self.interrupted


@dataclass(frozen=True, slots=True)
class _Settings:
    bundle: BundleFolder
    data_root: Path
    python: str
    resume: bool
    resume_command: str


def run_pipeline(
    bundle: Path,
    runs: Path,
    *,
    data_root: Path,
    resume: bool = False,
    stage: str | None = None,
    python: str = sys.executable,
    resume_command: str | None = None,
) -> PipelineEnd:
    """Runs a bundle's stages, or the one named, and says on standard error how it goes.

    At the end the report is written, and for a finished run the summary goes to standard output.
    With `resume` the newest run of this very bundle goes on at its first unfinished stage.
    `resume_command` is what an interrupted user is told to type.
    """
    content = read_bundle(bundle)
    if isinstance(content, Diagnostic):
        return PipelineEnd(None, content)
    names = [one.name for one in content.stages]
    if stage is not None and stage not in names:
        return PipelineEnd(None, faults.unknown_stage(stage, names))
    lack = cannot_launch(python)
    if lack is not None:
        return PipelineEnd(None, lack)
    folder = newest_run(runs, content) if resume else new_run(runs, content, datetime.now(UTC))
    if isinstance(folder, Diagnostic):
        return PipelineEnd(None, folder)
    if not os.access(folder, os.W_OK):
        return PipelineEnd(folder, faults.runs_folder_not_writable(folder, "it may only be read"))
    command = resume_command or f"trainc run {bundle} --resume"
    settings = _Settings(content, data_root, python, resume, command)
    chosen = [one for one in content.stages if stage in (None, one.name)]
    with working_on(folder) as ours:
        if not ours:
            return PipelineEnd(folder, faults.run_in_use(folder))
        with display_on(sys.stderr) as display:
            end = _run_stages(settings, chosen, folder, display)
        return _reported(end)


def cache_folder() -> Path:
    """Where prepared data is kept between runs: below XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "trainc"


def _run_stages(settings: _Settings, stages: list[BundleStage], folder: Path, display: Display) -> PipelineEnd:
    display.say(f"run folder: {folder}")
    for index, stage in enumerate(stages):
        if is_finished(folder / stage.name):
            display.say(f"stage `{stage.name}` is finished already: skipped")
            continue
        launch = StageLaunch(
            bundle=settings.bundle,
            stage=stage,
            folder=folder / stage.name,
            data_root=settings.data_root,
            cache=cache_folder(),
            python=settings.python,
            resume=settings.resume,
        )
        end = run_stage(launch, display)
        if isinstance(end, Finished) and end.stop_requested and index + 1 < len(stages):
            display.say(f"stopped before stage `{stages[index + 1].name}`: go on with `{settings.resume_command}`")
            return PipelineEnd(folder, interrupted=True)
        ended = _ended(settings, stage, folder, end, display)
        if not ended.finished:
            return ended
    return PipelineEnd(folder)


def _ended(settings: _Settings, stage: BundleStage, folder: Path, end: StageEnd | Diagnostic, display: Display) -> PipelineEnd:
    match end:
        case Finished():
            return PipelineEnd(folder)
        case Interrupted(step, resumable):
            display.say(_farewell(stage.name, step, resumable, settings.resume_command))
            return PipelineEnd(folder, interrupted=True)
        case Failure(_, reason, log, last_lines):
            for line in last_lines:
                display.say(f"  {line}")
            return PipelineEnd(folder, faults.stage_failed(stage.name, reason, log))
        case Diagnostic():
            return PipelineEnd(folder, end)


def _reported(end: PipelineEnd) -> PipelineEnd:
    record = report.load(end.folder) if end.folder is not None else None
    if not isinstance(record, RunRecord):
        return end
    hindrance = report.write(record)
    if not end.finished:
        return end
    print_summary(record, Console())
    return replace(end, fault=hindrance)


def _farewell(stage: str, step: int | None, resumable: bool, command: str) -> str:
    where = f"at step {step}" if step is not None else "before its first logged step"
    saved = "go on with" if resumable else "no checkpoint was written yet; begin again with"
    return f"stage `{stage}` was interrupted {where}: {saved} `{command}`"
