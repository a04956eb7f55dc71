"""Renders findings as a Code Quality report, which GitLab shows in merge requests."""

from __future__ import annotations

import hashlib
import json

from .diagnostics import Severity
from .report import Placed, Report, named_by_content

# GitLab's scale goes on to critical and blocker, which no finding of a linter is.
_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(report: Report) -> str:
    """The findings as a JSON list."""
    issues = [_issue(placed, name, report) for placed, name in named_by_content(report.placed, report)]
    return json.dumps(issues, indent=2) + "\n"


def _issue(placed: Placed, name: str, report: Report) -> dict[str, object]:
    finding = placed.finding
    end = placed.span.source.line_of(placed.span.end) if placed.span is not None else 1
    return {
        "description": finding.message if finding.help is None else f"{finding.message}; help: {finding.help}",
        "check_name": finding.code,
        "fingerprint": hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest(),
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": report.path(placed.file), "lines": {"begin": placed.line, "end": end}},
    }
