"""How the project's settings and the command line together judge the findings of a spec."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from trainc.dsl.diagnostics import Diagnostic, Severity, in_order

from ...policy import settings_files
from ...policy.judgement import Policy, judge
from .policy_options import Choices

if TYPE_CHECKING:
    from ...driver import Analysis
    from ...policy.project import Project


def project_of(spec: str) -> Project | None:
    """The settings for a spec; raises SettingsError."""
    files = list(settings_files.candidates(spec))
    if not files:
        return None
    from ...policy.project import read

    return read(files)


def merged(project: Project | None, choices: Choices) -> Policy:
    """The project's policy with what the command line says instead."""
    policy = project.policy if project else Policy()
    if choices.select:
        # Who asks for a code wants to see it, whatever the project ignores.
        policy = replace(policy, select=choices.select, ignore=())
    if choices.ignore:
        policy = replace(policy, ignore=choices.ignore)
    if choices.strict is not None:
        policy = replace(policy, strict=choices.strict)
    return replace(policy, least=Severity(choices.least))


def faults(choices: Choices) -> Iterator[Diagnostic]:
    """What is wrong with the codes on the command line."""
    if not choices.select and not choices.ignore:
        return
    from ...policy import code_lists

    for pattern in (*choices.select, *choices.ignore):
        unknown = code_lists.unknown(pattern)
        kept = code_lists.not_ignorable(pattern) if unknown is None and pattern in choices.ignore else None
        yield from [fault for fault in (unknown, kept) if fault is not None]


def counted(analysis: Analysis, project: Project) -> tuple[Diagnostic, ...]:
    """The findings of a spec that is to be compiled: errors are never left out here, but for those that the project ignores."""
    findings = analysis.findings
    if project.baseline is not None:
        from ...policy import baseline

        located = [baseline.Located(finding, analysis.library) for finding in findings]
        fresh, _ = baseline.new(located, baseline.read(project.baseline), project.baseline.parent)
        kept = {entry.finding for entry in fresh}
        findings = tuple(finding for finding in findings if finding.severity is Severity.ERROR or finding in kept)
    verdict = judge(findings, project.policy)
    return in_order((*verdict.shown, *verdict.unselected))
