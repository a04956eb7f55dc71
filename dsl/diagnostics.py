"""Findings as data: made by every phase, collected, sorted, and rendered once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from .source import Span


class Severity(Enum):
    """How much a finding weighs; only errors stop a compilation."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding speaks of."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of a span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that certainly mend a finding."""

    message: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what, where, with which other places, and the way out.

    `primary` is None only where no text is at fault (an unreadable file, a `--set` that names nothing).
    """

    code: str
    severity: Severity
    message: str
    primary: Span | None
    related: tuple[Related, ...] = ()
    help: str | None = None
    fix: Fix | None = None


def error(
    code: str,
    message: str,
    primary: Span | None,
    *related: Related,
    help: str | None = None,
    fix: Fix | None = None,
) -> Diagnostic:
    """An error, the most common finding."""
    return Diagnostic(code, Severity.ERROR, message, primary, related, help, fix)


def in_order(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings by file and place, each fault once."""
    unique = {(finding.code, finding.primary, finding.message): finding for finding in findings}
    return tuple(sorted(unique.values(), key=_place))


def has_errors(findings: Iterable[Diagnostic]) -> bool:
    """Whether any finding stops a compilation."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def _place(finding: Diagnostic) -> tuple[str, int, str, str]:
    if finding.primary is None:
        return ("", 0, finding.code, finding.message)
    return (finding.primary.source.name, finding.primary.start, finding.code, finding.message)
