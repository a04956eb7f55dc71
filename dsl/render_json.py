"""Renders findings as JSON for machines: one object with a format version and the findings in order."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .diagnostics import Diagnostic, Edit, Fix, Related
from .report import Report
from .source import Span

FORMAT_VERSION = 1


def render(report: Report) -> str:
    """Every finding as it is, at its own place."""
    return render_json(report.findings)


def render_json(findings: Iterable[Diagnostic]) -> str:
    """The findings as a JSON text; lines and columns count from 1, ends are exclusive."""
    document = {"format_version": FORMAT_VERSION, "findings": [_finding(finding) for finding in findings]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Diagnostic) -> dict[str, object]:
    return {
        **_place(finding.primary),
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        "help": finding.help,
        "related": [_related(related) for related in finding.related],
        "fix": _fix(finding.fix) if finding.fix is not None else None,
    }


def _related(related: Related) -> dict[str, object]:
    return {**_place(related.span), "message": related.message}


def _fix(fix: Fix) -> dict[str, object]:
    return {"message": fix.message, "edits": [_edit(edit) for edit in fix.edits]}


def _edit(edit: Edit) -> dict[str, object]:
    # The offsets too: a fix is applied to characters, not to lines.
    return {**_place(edit.span), "start": edit.span.start, "end": edit.span.end, "text": edit.text}


def _place(span: Span | None) -> dict[str, object]:
    if span is None:
        return dict.fromkeys(("file", "line", "column", "end_line", "end_column"))
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": span.source.line_of(span.end),
        "end_column": span.source.column_of(span.end),
    }
