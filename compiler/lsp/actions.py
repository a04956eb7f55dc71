"""Code actions: the certain fix of a finding, all of them at once, and comments that allow what is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types
from trainc.dsl.diagnostics import Diagnostic, Edit, Fix
from trainc.dsl.edits import compatible

from .allowing import suppressions
from .diagnostics import findings_at, show
from .spot import Spot

Kind = types.CodeActionKind
KINDS = [Kind.QuickFix, Kind.SourceFixAll]


def code_actions(spot: Spot, place: types.Range, only: Iterable[str] | None) -> list[types.CodeAction]:
    """What can be done about the findings in a range; `only` names the kinds that are asked for."""
    start, end = spot.lines.offset(place.start), spot.lines.offset(place.end)
    near = findings_at(spot.view.snapshot, spot.path, start, end)
    actions = [*_fixes(near, spot), *suppressions(near, spot), *_fix_all(spot)]
    return actions if only is None else [action for action in actions if _is_wanted(action, list(only))]


def _is_wanted(action: types.CodeAction, only: list[str]) -> bool:
    kind = str(action.kind.value if isinstance(action.kind, Kind) else action.kind)
    return any(kind == wanted or kind.startswith(f"{wanted}.") or wanted == "" for wanted in only)


def _fixes(findings: Iterable[Diagnostic], spot: Spot) -> Iterator[types.CodeAction]:
    for finding in findings:
        if finding.fix is not None:
            shown = show(finding, spot.places)
            edit = _edit(finding.fix.edits, spot)
            yield types.CodeAction(_title(finding.fix), Kind.QuickFix, [shown], is_preferred=True, edit=edit)


def _fix_all(spot: Spot) -> Iterator[types.CodeAction]:
    found = findings_at(spot.view.snapshot, spot.path, 0, len(spot.view.text))
    edits = [edit for fix in compatible(finding.fix for finding in found if finding.fix is not None) for edit in fix.edits]
    if edits:
        yield types.CodeAction("Apply every certain fix", Kind.SourceFixAll, edit=_edit(edits, spot))


def _edit(edits: Iterable[Edit], spot: Spot) -> types.WorkspaceEdit:
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        location = spot.places.location(edit.span)
        if location is not None:
            changes.setdefault(location.uri, []).append(types.TextEdit(location.range, edit.text))
    return types.WorkspaceEdit(changes=changes)


def _title(fix: Fix) -> str:
    return fix.message[:1].upper() + fix.message[1:]
