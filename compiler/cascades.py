"""Leaves out findings that only follow from a syntax fault: what could not be read can neither be missing nor unknown."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.source import Source

UNKNOWN_NAMES = ("TRN101", "TRN106")
MISSING_FIELDS = "TRN109"


def independent(findings: Iterable[Diagnostic], syntax_faults: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that would stand if the faults of syntax were mended."""
    broken = {(fault.primary.source, fault.primary.line) for fault in syntax_faults if fault.primary}
    files = {source for source, _ in broken}
    lost = {word for source, line in broken for word in _words(source.line_text(line))}
    return [finding for finding in findings if not _follows(finding, files, lost)]


def _follows(finding: Diagnostic, files: set[Source], lost: set[str]) -> bool:
    if finding.primary is None:
        return False
    if finding.code == MISSING_FIELDS:
        return finding.primary.source in files
    return finding.code in UNKNOWN_NAMES and finding.primary.text in lost


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() or char == "_" else " " for char in text).split()
