"""Renders findings one a line, as editors and grep read them: `file:line:column: error[TRN201]: message`."""

from __future__ import annotations

from .diagnostics import Diagnostic
from .render_text import clean, summary
from .report import Report


def render(report: Report) -> str:
    """A line for each finding and the counts at the end."""
    lines = [f"{_place(finding, checked.name)}: {concise(finding)}" for checked in report.checked for finding in checked.findings]
    return "".join(f"{line}\n" for line in (*dict.fromkeys(lines), summary(report.findings)))


def concise(finding: Diagnostic) -> str:
    """A finding without its place."""
    return f"{finding.severity.value}[{finding.code}]: {clean(finding.message)}"


def _place(finding: Diagnostic, spec: str) -> str:
    if finding.primary is None:
        return clean(spec)
    return f"{clean(finding.primary.source.name)}:{finding.primary.line}:{finding.primary.column}"
