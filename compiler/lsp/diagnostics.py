"""Findings as an editor shows them, for every file that a spec reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lsprotocol import types
from trainc.dsl.diagnostics import Diagnostic, Related, Severity

from ..reading import UnreadableError
from .places import Places
from .snapshot import Snapshot
from .workspace import Workspace

SOURCE = "trainc"

# Codes of what is written and not used: editors show it faded.
UNUSED = frozenset(("TRN903", "TRN907", "TRN908", "TRN909"))

# Where a finding without a place is shown.
_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def by_file(workspace: Workspace, opened: Iterable[Path]) -> Mapping[Path, list[types.Diagnostic]]:
    """What to show in each file that an open document makes the server look at; files without findings are among them."""
    found: dict[Path, dict[tuple[object, ...], types.Diagnostic]] = {}
    for root in dict.fromkeys(root for path in opened for root in workspace.roots(path)):
        for path, diagnostic in _of_spec(workspace, root):
            shown = found.setdefault(path, {})
            if diagnostic is not None:
                shown[_key(diagnostic)] = diagnostic
    return {path: list(shown.values()) for path, shown in found.items()}


def _of_spec(workspace: Workspace, root: Path) -> Iterator[tuple[Path, types.Diagnostic | None]]:
    """Each finding with its file; each file once without."""
    try:
        snapshot = workspace.snapshot(root)
    except UnreadableError as fault:
        yield root, _diagnostic(fault.finding, _TOP, [])
        return
    places = Places(snapshot, workspace)
    for path, module in snapshot.modules.items():
        if not module.is_standard:
            yield path, None
    for finding in snapshot.findings:
        found = snapshot.path(finding.primary.source) if finding.primary is not None else None
        yield found or root, show(finding, places)
    for finding in snapshot.rulings.faults:
        yield _of_settings(finding, workspace, root)


def _of_settings(fault: Diagnostic, workspace: Workspace, root: Path) -> tuple[Path, types.Diagnostic]:
    """A finding in the project's settings, at their own file."""
    if fault.primary is None:
        return root, _diagnostic(fault, _TOP, [])
    place = workspace.lines(fault.primary.source.text).range(fault.primary)
    return Path(fault.primary.source.name).resolve(), _diagnostic(fault, place, [])


def findings_at(snapshot: Snapshot, path: Path, start: int, end: int) -> list[Diagnostic]:
    """The findings of a file that touch a piece of its text."""
    return [
        finding
        for finding in snapshot.findings
        if finding.primary is not None
        and snapshot.path(finding.primary.source) == path
        and finding.primary.start <= end
        and start <= finding.primary.end
    ]


def show(finding: Diagnostic, places: Places) -> types.Diagnostic:
    """A finding in the protocol's terms."""
    location = places.location(finding.primary) if finding.primary is not None else None
    return _diagnostic(finding, location.range if location else _TOP, [_related(one, places) for one in finding.related])


def _diagnostic(
    finding: Diagnostic, place: types.Range, related: list[types.DiagnosticRelatedInformation | None]
) -> types.Diagnostic:
    return types.Diagnostic(
        range=place,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source=SOURCE,
        message=f"{finding.message}\nhelp: {finding.help}" if finding.help else finding.message,
        related_information=[one for one in related if one is not None] or None,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in UNUSED else None,
    )


def _related(related: Related, places: Places) -> types.DiagnosticRelatedInformation | None:
    location = places.location(related.span)
    return types.DiagnosticRelatedInformation(location, related.message) if location is not None else None


def _key(diagnostic: types.Diagnostic) -> tuple[object, ...]:
    start, end = diagnostic.range.start, diagnostic.range.end
    return (diagnostic.code, diagnostic.message, start.line, start.character, end.line, end.character)
