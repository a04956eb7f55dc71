"""One round of `trainc check`: which of the findings count, and what is said of the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trainc.dsl.counting import counted
from trainc.dsl.diagnostics import Diagnostic, Severity, has_errors
from trainc.dsl.report import Checked

from ...policy.judgement import Policy, judge
from ...policy.settings_files import SettingsError
from ...uses import located
from .. import shared
from . import verdict
from .analysing import Analysed, Spec, analyse_all
from .policy_options import Choices

COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Round:
    """What one check found, how it ends, and the files that it depends on.

    `remarks` belong to the summary, whatever was found; `strict` says that warnings weighed as much as errors, `nothing`
    is what to say where there are no findings.
    """

    exit_code: int
    checked: tuple[Checked, ...]
    remarks: tuple[str, ...] = ()
    strict: bool = False
    nothing: str = "no findings"
    files: frozenset[Path] = frozenset()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """All of them, in the order of the specs."""
        return tuple(finding for one in self.checked for finding in one.findings)


def check_all(specs: Sequence[Spec], given: dict[str, str], choices: Choices) -> Round:
    """Checks specs under the settings of their projects and the choices of the command line."""
    faults = tuple(verdict.faults(choices))
    if faults:
        return Round(shared.USAGE, (Checked(COMMAND_LINE, faults),))
    specs, skipped = _affected(specs, choices)
    checked = analyse_all(specs, given, choices)
    try:
        report = _written(checked, choices) if choices.write_baseline else _judged(checked, choices)
    except SettingsError as fault:
        report = Round(shared.USAGE, (Checked(COMMAND_LINE, fault.findings),))
    return replace(report, remarks=(*report.remarks, *skipped), files=frozenset(_files(checked, choices)))


def _affected(specs: Sequence[Spec], choices: Choices) -> tuple[Sequence[Spec], tuple[str, ...]]:
    if choices.changed_since is None:
        return specs, ()
    from .changed import affected

    kept = affected(specs, choices.changed_since)
    return kept, (f"{counted(len(specs) - len(kept), 'spec')} not changed since {choices.changed_since}",)


def _judged(checked: Sequence[Analysed], choices: Choices) -> Round:
    remarks: list[str] = []
    fresh = _new(checked, choices, remarks)
    shown: list[Checked] = []
    weighty, unselected = False, 0
    for one in fresh:
        verdict_ = judge(one.findings, one.policy if one.uses else Policy())
        shown.append(Checked(one.spec.name, verdict_.shown))
        unselected += len(verdict_.unselected)
        strict = one.policy.strict and any(finding.severity is Severity.WARNING for finding in verdict_.shown)
        weighty = weighty or strict or has_errors((*verdict_.shown, *verdict_.unselected))
    if unselected:
        remarks.append(f"{counted(unselected, 'error')} of other codes not shown")
    strict = any(one.policy.strict for one in checked)
    nothing = "no findings of these codes" if unselected else "no findings"
    return Round(_exit_code(checked, weighty), tuple(shown), tuple(remarks), strict, nothing)


def _exit_code(checked: Sequence[Analysed], weighty: bool) -> int:
    if any(one.uses is None for one in checked):
        return shared.USAGE
    return shared.FINDINGS if weighty else shared.CLEAN


def _new(checked: Sequence[Analysed], choices: Choices, remarks: list[str]) -> list[Analysed]:
    """What no baseline holds."""
    paths = dict.fromkeys(path for one in checked if (path := _baseline(one, choices)) is not None)
    for path in paths:
        group = [one for one in checked if _baseline(one, choices) == path]
        fresh = _without_known(group, path, choices, remarks)
        checked = [fresh.get(one.spec, one) for one in checked]
    return list(checked)


def _without_known(group: Sequence[Analysed], path: Path, choices: Choices, remarks: list[str]) -> dict[Spec, Analysed]:
    from ...policy import baseline

    known = left = baseline.read(path)
    fresh: dict[Spec, Analysed] = {}
    for one in group:
        located = [baseline.Located(finding, one.library) for finding in one.findings if one.library is not None]
        found, left = baseline.new(located, left, path.parent)
        fresh[one.spec] = replace(one, findings=tuple(entry.finding for entry in found)) if one.library else one
    hidden, stale = known.total() - left.total(), baseline.stale(left, set(_files(group, choices)), path.parent)
    if hidden:
        remarks.append(f"{counted(hidden, 'finding')} of {os.path.relpath(path)} not shown")
    if stale:
        remarks.append(f"note: {counted(stale, 'finding')} of {os.path.relpath(path)} no longer there: write it anew")
    return fresh


def _baseline(one: Analysed, choices: Choices) -> Path | None:
    return choices.baseline or (one.project.baseline if one.project else None)


def _written(checked: Sequence[Analysed], choices: Choices) -> Round:
    """Makes a baseline of everything that would be shown; what cannot be read is shown all the same."""
    from ...policy import baseline

    assert choices.write_baseline is not None
    found = [
        baseline.Located(finding, one.library)
        for one in checked
        if one.library is not None
        for finding in judge(one.findings, one.policy).shown
    ]
    count = baseline.write(choices.write_baseline, found)
    held = tuple(Checked(one.spec.name, one.findings if one.uses is None else ()) for one in checked)
    return Round(
        _exit_code(checked, weighty=False), held, (f"{choices.write_baseline}: {counted(count, 'finding')}",), nothing="no others"
    )


def _files(checked: Iterable[Analysed], choices: Choices) -> Iterator[Path]:
    for one in checked:
        if (path := _baseline(one, choices)) is not None:
            yield path
        yield located(one.spec.path)
        yield from one.uses.files if one.uses is not None else ()
        yield from [one.project.file] if one.project is not None else []
