"""Renders findings as workflow commands of GitHub Actions, which shows them as annotations beside the lines.

GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest without a word, so no more are
printed, and a last notice says how many were left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from .counting import counted
from .diagnostics import Severity
from .report import Placed, Report

LIMIT = 10
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: Report) -> str:
    """A command for each finding that GitHub will show."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    left_out = 0
    for severity, command in _COMMANDS.items():
        found = [placed for placed in report.placed if placed.finding.severity is severity]
        # The last notice takes a place of its own.
        limit = LIMIT - 1 if severity is Severity.NOTE else LIMIT
        yield from (_command(command, placed, report) for placed in found[:limit])
        left_out += len(found[limit:])
    if left_out:
        more = f"{counted(left_out, 'more finding')} of trainc not shown here"
        yield f"::notice title=trainc::{_data(f'{more}: GitHub shows {LIMIT} of a kind; `trainc check` prints all of them')}"


def _command(command: str, placed: Placed, report: Report) -> str:
    finding = placed.finding
    properties = {"file": report.path(placed.file), **_range(placed), "title": f"trainc {finding.code}"}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = finding.message if finding.help is None else f"{finding.message}\nhelp: {finding.help}"
    return f"::{command} {listed}::{_data(message)}"


def _range(placed: Placed) -> dict[str, str]:
    span = placed.span
    if span is None:
        return {"line": "1"}
    end_line = span.source.line_of(span.end)
    lines = {"line": str(span.line), "endLine": str(end_line)}
    # Columns of an annotation belong to one line.
    columns = {"col": str(span.column), "endColumn": str(span.source.column_of(span.end))} if end_line == span.line else {}
    return {**lines, **columns}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
