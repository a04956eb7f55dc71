"""The project's settings, applied to findings as `trainc check` applies them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from ..loader import Library
from ..policy import baseline, settings_files
from ..policy.baseline import Entry, Located
from ..policy.judgement import Policy, judge
from ..policy.project import Project, read
from ..policy.settings_files import SettingsError
from ..reading import stamp


@dataclass(frozen=True)
class Rulings:
    """What the settings for a spec say; `faults` is what makes no sense in them, and then they say nothing."""

    policy: Policy = field(default_factory=Policy)
    known: Counter[Entry] = field(default_factory=Counter)
    baseline: Path | None = None
    faults: tuple[Diagnostic, ...] = ()

    def apply(self, findings: Sequence[Diagnostic], library: Library) -> tuple[Diagnostic, ...]:
        """The findings that count, as much as they count."""
        if self.baseline is not None:
            located = [Located(finding, library) for finding in findings]
            findings = [entry.finding for entry in baseline.new(located, self.known, self.baseline.parent)[0]]
        return judge(findings, self.policy).shown


class Settings:
    """Rulings by the files that they are read from; a file is read again when it has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, ...], tuple[tuple[object, ...], Rulings]] = {}

    def of(self, spec: Path) -> Rulings:
        """The rulings for a spec."""
        files = tuple(settings_files.candidates(str(spec)))
        if not files:
            return Rulings()
        known = self._known.get(files)
        if known is None or known[0] != _stamps(files, known[1]):
            rulings = _read(files)
            known = (_stamps(files, rulings), rulings)
            self._known[files] = known
        return known[1]


def _read(files: Sequence[Path]) -> Rulings:
    try:
        project = read(files)
        return _rulings(project) if project is not None else Rulings()
    except SettingsError as fault:
        return Rulings(faults=fault.findings)


def _rulings(project: Project) -> Rulings:
    if project.baseline is None:
        return Rulings(project.policy)
    return Rulings(project.policy, baseline.read(project.baseline), project.baseline)


def _stamps(files: Sequence[Path], rulings: Rulings) -> tuple[object, ...]:
    """What changes when one of the files, or the baseline, changes."""
    watched = files if rulings.baseline is None else (*files, rulings.baseline)
    return tuple(stamp(path) for path in watched)
