"""Analyses the specs of one `trainc check`, each as the compiler would, and puts together what was found in all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainc.dsl.diagnostics import Diagnostic

from ...clean_cache import CleanCache
from ...policy.judgement import Policy
from ...policy.settings_files import SettingsError
from ...reading import UnreadableError
from ...uses import Uses, located, uses
from .. import shared
from . import verdict
from .policy_options import Choices

if TYPE_CHECKING:
    from ...loader import Library
    from ...policy.project import Project

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
    """What was found in one spec, and what it uses: nothing where it, or the settings for it, could not be read.

    There is no library where the spec is known to be clean.
    """

    spec: Spec
    findings: tuple[Diagnostic, ...]
    uses: Uses | None = None
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
    cache = CleanCache() if choices.cache else None
    found = [one for spec in distinct.values() if (one := _check(spec, given, choices, cache)) is not None]
    if cache is not None:
        cache.save()
    imported = {path for one in found if one.uses is not None for path in one.uses.imports}
    whole = [_within_folder(one, given, imported) for one in found]
    return list(_without_repetition(_without_exports(whole)))


def _check(spec: Spec, given: dict[str, str], choices: Choices, cache: CleanCache | None) -> Analysed | None:
    try:
        project = verdict.project_of(spec.path)
    except SettingsError as fault:
        return Analysed(spec, fault.findings)
    if project is not None and spec.folder is not None and project.excludes(Path(spec.path)):
        return None
    policy = verdict.merged(project, choices)
    if cache is not None and (known := cache.find(spec.path, given, policy.fixed)) is not None:
        return Analysed(spec, (), known, project=project, policy=policy)
    try:
        analysis = shared.analyse_path(spec.path, given, fixed=policy.fixed)
    except UnreadableError as fault:
        return Analysed(spec, (fault.finding,), policy=policy)
    used = uses(analysis.library)
    if cache is not None and not analysis.findings and spec.path != "-":
        cache.keep(spec.path, given, policy.fixed, used, analysis.files)
    return Analysed(spec, analysis.findings, used, analysis.library, project, policy)


def _within_folder(one: Analysed, given: dict[str, str], imported: set[Path]) -> Analysed:
    folder = one.spec.folder
    if folder is None or one.uses is None or all(finding.code != OUTSIDE for finding in one.findings):
        return one
    # What runs by itself is compiled by itself, and the compiler would refuse the import.
    if one.uses.runs and located(one.spec.path) not in imported:
        return one
    analysis = shared.analyse_path(one.spec.path, given, Path(folder), one.policy.fixed)
    return replace(one, findings=analysis.findings, uses=uses(analysis.library), library=analysis.library)


def _without_exports(checked: Sequence[Analysed]) -> list[Analysed]:
    """Without what a spec seems to declare for nothing, where another that is checked too reads it."""
    if all(finding.code not in UNUSED for one in checked for finding in one.findings):
        return list(checked)
    read = {use for one in checked if one.uses is not None for use in one.uses.reads}
    return [replace(one, findings=tuple(entry for entry in one.findings if not _is_export(entry, read))) for one in checked]


def _is_export(finding: Diagnostic, read: set[tuple[Path, str]]) -> bool:
    if finding.code not in UNUSED or finding.primary is None:
        return False
    return (Path(finding.primary.source.name).resolve(), finding.primary.text) in read


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
