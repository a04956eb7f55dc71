"""Analyses the specs of one `trainc check`, each as the compiler would, and puts together what was found in all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic

from ..hygiene import RUN_KINDS
from ..loader import Library
from ..policy import Policy
from ..reading import UnreadableError
from ..settings_files import SettingsError
from . import inputs, shared, verdict
from .policy_options import Choices

if TYPE_CHECKING:
    from ..project import Project

OUTSIDE = "TRN153"
UNUSED = ("TRN907", "TRN909")


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec to check; `folder` is the one that was searched for it, where it was not named itself."""

    path: str
    folder: str | None = None

    @property
    def name(self) -> str:
        """What reports call it."""
        return shared.STDIN if self.path == "-" else self.path


@dataclass(frozen=True, slots=True)
class Analysed:
    """What was found in one spec; no library where it, or the settings for it, could not be read."""

    spec: Spec
    findings: tuple[Diagnostic, ...]
    library: Library | None = None
    project: Project | None = None
    policy: Policy = field(default_factory=Policy)


def analyse_all(specs: Sequence[Spec], given: dict[str, str], choices: Choices) -> list[Analysed]:
    """Every spec that its project does not exclude, each finding once.

    A library that imports from above its own folder is checked once more, as a part of the folder that was searched.
    """
    distinct: dict[str, Spec] = {}
    for spec in specs:
        distinct.setdefault(os.path.abspath(spec.path), spec)
    found = [one for spec in distinct.values() if (one := _check(spec, given, choices)) is not None]
    imported = {path for one in found if one.library is not None for path in inputs.imports(one.library)}
    whole = [_within_folder(one, given, imported) for one in found]
    return list(_without_repetition(_without_exports(whole)))


def _check(spec: Spec, given: dict[str, str], choices: Choices) -> Analysed | None:
    try:
        project = verdict.project_of(spec.path)
    except SettingsError as fault:
        return Analysed(spec, fault.findings)
    if project is not None and spec.folder is not None and project.excludes(Path(spec.path)):
        return None
    policy = verdict.merged(project, choices)
    try:
        analysis = shared.analyse_path(spec.path, given, fixed=policy.fixed)
    except UnreadableError as fault:
        return Analysed(spec, (fault.finding,), policy=policy)
    return Analysed(spec, analysis.findings, analysis.library, project, policy)


def _within_folder(one: Analysed, given: dict[str, str], imported: set[Path]) -> Analysed:
    folder = one.spec.folder
    if folder is None or one.library is None or all(finding.code != OUTSIDE for finding in one.findings):
        return one
    # What runs by itself is compiled by itself, and the compiler would refuse the import.
    if _runs(one.library) and inputs.located(one.spec.path) not in imported:
        return one
    analysis = shared.analyse_path(one.spec.path, given, Path(folder), one.policy.fixed)
    return replace(one, findings=analysis.findings, library=analysis.library)


def _without_exports(checked: Sequence[Analysed]) -> list[Analysed]:
    """Without what a spec seems to declare for nothing, where another that is checked too reads it."""
    if all(finding.code not in UNUSED for one in checked for finding in one.findings):
        return list(checked)
    read = {use for one in checked if one.library is not None for use in inputs.reads(one.library)}
    return [replace(one, findings=tuple(entry for entry in one.findings if not _is_export(entry, read))) for one in checked]


def _is_export(finding: Diagnostic, read: set[tuple[Path, str]]) -> bool:
    if finding.code not in UNUSED or finding.primary is None:
        return False
    return (Path(finding.primary.source.name).resolve(), finding.primary.text) in read


def _runs(library: Library) -> bool:
    return any(isinstance(item, ast.Declaration) and item.kind.text in RUN_KINDS for item in library.root.file.items)


def _without_repetition(checked: Iterable[Analysed]) -> Iterator[Analysed]:
    """What is found in an imported file once, however many specs import it."""
    seen: set[object] = set()
    for one in checked:
        fresh = {_identity(finding): finding for finding in one.findings if _identity(finding) not in seen}
        seen |= fresh.keys()
        yield replace(one, findings=tuple(fresh.values()))


def _identity(finding: Diagnostic) -> object:
    place = finding.primary
    if place is None:
        return finding.code, finding.message
    return finding.code, finding.message, Path(place.source.name).resolve(), place.start, place.end
