"""One side of a comparison: a spec on disk, one of a git revision, or a bundle; read and planned, but no data looked at.

What a comparison says must not depend on which data files lie here today.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic, has_errors

from .. import bundle, bundle_errors
from ..driver import Analysis, analyse_library
from ..loader import Library, load
from ..origins import Origins
from ..plan import StagePlan
from ..planfile import plan_facts
from ..reading import UnreadableError
from ..schema import Record
from ..spec import BatchSpec, PipelineSpec
from .figures import Figures, read_figures
from .revision import load_revision


@dataclass(frozen=True, slots=True)
class Opened:
    """A side before it is analysed: `settings` and `figures` are a bundle's own, None for a spec."""

    title: str
    library: Library
    settings: Mapping[str, str] | None = None
    figures: Mapping[str, Figures] | None = None

    @property
    def params(self) -> frozenset[str]:
        """The names that `--set` may give values to."""
        return frozenset(item.name.text for item in self.library.root.file.items if isinstance(item, ast.Param))


@dataclass(frozen=True, slots=True)
class Side:
    """A side's records by path, stages in execution order with their batch filled in; `pipeline` only where it is declared."""

    title: str
    records: Mapping[str, Record]
    pipeline: str | None
    figures: Mapping[str, Figures]
    origins: Origins


def is_bundle(subject: str) -> bool:
    """Whether a subject is the folder of a bundle; any other folder is refused as one."""
    return os.path.isdir(subject)


def open_side(subject: str) -> Opened | tuple[Diagnostic, ...]:
    """Reads a subject: a bundle's folder, a file, or REV:FILE; raises UnreadableError where there is no text."""
    if is_bundle(subject):
        return _open_bundle(Path(subject))
    if ":" in subject and not os.path.lexists(subject):
        return Opened(subject, load_revision(subject))
    return Opened(subject, load(Path(subject)))


def read_side(opened: Opened, given: Mapping[str, str]) -> Side | tuple[Diagnostic, ...]:
    """Plans a side; its findings where one is an error."""
    analysis = analyse_library(opened.library, opened.settings if opened.settings is not None else given, reads_declared=False)
    if has_errors(analysis.findings):
        return analysis.findings
    declared = [record.name for record in analysis.elaborated.records.values() if isinstance(record, PipelineSpec)]
    return Side(
        title=opened.title,
        records=_records(analysis),
        pipeline=declared[0] if declared else None,
        figures=opened.figures if opened.figures is not None else _figures(analysis),
        origins=analysis.elaborated.origins,
    )


def _records(analysis: Analysis) -> Mapping[str, Record]:
    """The stages that run; a file of models or clusters is compared by all that it declares."""
    if analysis.plan is None:
        # A template need not be complete; nothing is said of one that is not.
        return {
            path: record for path, record in analysis.elaborated.records.items() if record.settings.keys() <= record.__dict__.keys()
        }
    return {stage.name: _filled(stage) for stage in analysis.plan.stages}


def _filled(stage: StagePlan) -> Record:
    batch = stage.batch
    return stage.spec.replace(batch=BatchSpec(global_=batch.global_size, micro=batch.micro, accumulation=batch.accumulation))


def _figures(analysis: Analysis) -> Mapping[str, Figures]:
    plan = analysis.plan
    return {stage.name: read_figures(plan_facts(plan.pipeline, stage)) for stage in plan.stages} if plan else {}


def _open_bundle(folder: Path) -> Opened | tuple[Diagnostic, ...]:
    faults = bundle.verify(folder)
    if faults:
        return faults
    try:
        manifest = json.loads((folder / bundle.MANIFEST).read_bytes())
        figures = {
            str(stage["name"]): read_figures(json.loads((folder / "stages" / stage["folder"] / "plan.json").read_bytes()))
            for stage in manifest["stages"]
        }
        settings = {str(name): str(value) for name, value in manifest["parameters"].items()}
        spec = folder / "spec" / str(manifest["spec"])
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, OSError) as fault:
        raise UnreadableError(bundle_errors.not_a_bundle(str(folder), f"it was written by another version ({fault})")) from fault
    return Opened(str(folder), load(spec), settings, figures)
