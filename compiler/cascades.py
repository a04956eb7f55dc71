"""Leaves out findings that only follow from another: what could not be read can neither be wrong nor unknown.

Fields that could not be read are poison (amend.py). Here is what is left: names of lost items, and what stands in the lost entry.
"""

from __future__ import annotations

from collections.abc import Iterable

from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.source import Span
from trainc.dsl.visitor import entry_span, words

from .loader import Library
from .schema import KINDS

UNKNOWN_NAMES = ("TRN101", "TRN106")
FAILED_IMPORTS = ("TRN152", "TRN153", "TRN154", "TRN155", "TRN157")


def independent(findings: Iterable[Diagnostic], library: Library) -> list[Diagnostic]:
    """The findings that would stand if syntax and imports were mended."""
    faults = [fault for module in library.modules.values() for fault in module.file.faults]
    imports = [finding.primary for finding in library.findings if finding.code in FAILED_IMPORTS and finding.primary]
    return [
        finding
        for finding in findings
        if not any(_follows(finding, fault) for fault in faults) and not any(_is_bound_by(finding, place) for place in imports)
    ]


def _follows(finding: Diagnostic, fault: Span) -> bool:
    place = finding.primary
    if place is None or place.source is not fault.source:
        return False
    if finding.code in UNKNOWN_NAMES:
        named = words(fault)
        return place.text in named or named <= KINDS.keys() or ("import" in named and _is_module(place))
    return entry_span(place) == entry_span(fault)


def _is_bound_by(finding: Diagnostic, imported: Span) -> bool:
    """Whether an unknown name may be what a failed import would have bound."""
    place = finding.primary
    return finding.code in UNKNOWN_NAMES and place is not None and place.source is imported.source and _is_module(place)


def _is_module(name: Span) -> bool:
    return name.source.text.startswith(".", name.end)
