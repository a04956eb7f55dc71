"""Renders findings as a Checkstyle report, which many tools of continuous integration read."""

from __future__ import annotations

from .diagnostics import Severity
from .report import Placed, Report
from .xml_text import opening

_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "info"}


def render(report: Report) -> str:
    """The findings by file as XML; a checked file without any stands there too."""
    by_file: dict[str, list[Placed]] = {report.path(checked.name): [] for checked in report.checked}
    for placed in report.placed:
        by_file.setdefault(report.path(placed.file), []).append(placed)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<checkstyle version="4.3">']
    for file, found in by_file.items():
        lines.append(f"  {opening('file', name=file)}{'>' if found else '/>'}")
        lines += [f"    {_error(placed)}" for placed in found]
        lines += ["  </file>"] if found else []
    return "".join(f"{line}\n" for line in (*lines, "</checkstyle>"))


def _error(placed: Placed) -> str:
    finding = placed.finding
    message = finding.message if finding.help is None else f"{finding.message}; help: {finding.help}"
    severity = _SEVERITIES[finding.severity]
    place = {"line": placed.line, "column": placed.column}
    return opening("error", **place, severity=severity, message=message, source=f"trainc.{finding.code}") + "/>"
