"""References and highlights: every place where a word means the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from trainc.dsl.source import Span

from ..loader import Module
from ..resolve import bound_name
from .places import Places
from .snapshot import Snapshot, View
from .spot import Spot
from .targets import NameTarget, Occurrence, Target


@dataclass(frozen=True)
class Use:
    """One place where something is used, in the file that holds it."""

    path: Path
    occurrence: Occurrence


def references(spot: Spot, with_declaration: bool) -> list[types.Location]:
    """Every use of the word at a spot, in every spec that reads its file."""
    found: dict[tuple[str, int, int], types.Location] = {}
    for view in spot.workspace.views(spot.path):
        occurrence = view.index.at(spot.offset)
        if occurrence is None:
            continue
        places = Places(view.snapshot, spot.workspace)
        for span in _spans(view, occurrence.target, with_declaration):
            location = places.location(span)
            if location is not None:
                found[(location.uri, span.start, span.end)] = location
    return [found[key] for key in sorted(found)]


def highlights(spot: Spot) -> list[types.DocumentHighlight]:
    """The uses of the word at a spot in its own document."""
    occurrence = spot.view.index.at(spot.offset)
    if occurrence is None:
        return []
    return [
        types.DocumentHighlight(
            spot.range(other.span), types.DocumentHighlightKind.Write if other.declares else types.DocumentHighlightKind.Read
        )
        for other in spot.view.index.occurrences
        if other.target == occurrence.target
    ]


def uses(snapshot: Snapshot, target: Target) -> Iterator[Use]:
    """Every word that means the same, in the user's files and in the one that declares it."""
    for path, module in snapshot.modules.items():
        if not module.is_standard or module is _declaring(target):
            for occurrence in snapshot.index(module).occurrences:
                if occurrence.target == target:
                    yield Use(path, occurrence)


def _spans(view: View, target: Target, with_declaration: bool) -> Iterator[Span]:
    if isinstance(target, NameTarget) and with_declaration:
        yield bound_name(target.binding)[1]
    for use in uses(view.snapshot, target):
        if with_declaration or not use.occurrence.declares:
            yield use.occurrence.span


def _declaring(target: Target) -> Module | None:
    return target.scope.module if isinstance(target, NameTarget) else None
