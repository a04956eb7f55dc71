"""Definition: where a name is declared, where the record that is amended sets a field, the file that an import reads."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types
from trainc.dsl import ast
from trainc.dsl.source import Span

from ..loader import Module
from ..resolve import bound_name
from ..values import RecordValue, Written
from .spot import Spot
from .targets import FieldTarget, ModuleTarget, NameTarget, Occurrence


def definition(spot: Spot) -> list[types.Location]:
    """The places that define the word at a spot; none for words of the language."""
    occurrence = spot.view.index.at(spot.offset)
    if occurrence is None:
        return []
    spans = _spans(occurrence)
    return [location for span in spans if (location := spot.places.location(span)) is not None]


def _spans(occurrence: Occurrence) -> list[Span]:
    match occurrence.target:
        case ModuleTarget(module):
            return [_start(module)]
        case NameTarget() as target:
            imported = _imported(target)
            return [_start(imported) if imported is not None else bound_name(target.binding)[1]]
        case FieldTarget() as target:
            # From the place that sets a field, on to what it replaces.
            return [span for span in _settings(target) if span != occurrence.span][:1]
    return []


def _imported(target: NameTarget) -> Module | None:
    item = target.binding
    return target.scope.module.imports.get(item.target) if isinstance(item, ast.Import) else None


def _settings(target: FieldTarget) -> Iterator[Span]:
    for record in (target.record, target.base):
        entry = record.fields.get(target.name) if isinstance(record, RecordValue) else None
        while isinstance(entry, Written):
            yield entry.name.span
            entry = entry.base


def _start(module: Module) -> Span:
    return Span(module.file.source, 0, 0)
