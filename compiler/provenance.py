"""Explains a field of a spec: its value, the places behind it, what the planner makes of it, and what another value would do."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from trainc.dsl.source import Span
from trainc.dsl.suggest import closest

from .driver import Analysis
from .elaborate import Elaborated
from .schema import Record
from .show import inline
from .whence import Origination

FEW = 12


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a declared record or of one inside it."""

    record: Record
    name: str


def explain_field(analysis: Analysis, path: str) -> str | None:
    """The value of a field, or what a declared record is, and the places behind it; None where the spec has no such thing."""
    elaborated = analysis.elaborated
    if path in elaborated.records:
        return "\n".join(_record_lines(analysis, path, elaborated.records[path]))
    found = _field(elaborated, path)
    return "\n".join(_field_lines(analysis, path, found)) if found is not None else None


def fields(elaborated: Elaborated) -> list[str]:
    """The paths of all declared records and of all their fields."""
    return [path for root, record in elaborated.records.items() for path in (root, *_paths(record, root))]


def meant(elaborated: Elaborated, path: str) -> str | None:
    """The path that one probably misspells, each name looked for beside its own neighbours."""
    known, found = fields(elaborated), ""
    for name in path.split("."):
        depth = len(found)
        here = [entry[depth:].removeprefix(".") for entry in known if not found or entry.startswith(f"{found}.")]
        near = closest(name, [entry for entry in here if "." not in entry])
        if near is None:
            return None
        found = f"{found}.{near}" if found else near
    return found


def nearest_fields(elaborated: Elaborated, path: str) -> str:
    """What there is at the nearest record around a path that does not exist."""
    while "." in path:
        path = path.rpartition(".")[0]
        record = _record(elaborated, path)
        if record is not None:
            return f"`{path}` has {_listed(list(record.settings))}"
    return f"the spec declares {_listed(list(elaborated.records))}" if elaborated.records else "the spec declares no record"


def _record_lines(analysis: Analysis, path: str, record: Record) -> Iterator[str]:
    yield f"{path} is a {record.kind}: {inspect.cleandoc(record.__doc__ or '')}"
    yield from (f"  {line}" for line in _places(analysis, path))
    yield f"  fields: {', '.join(record.settings)}"


def _field_lines(analysis: Analysis, path: str, field: _Field) -> Iterator[str]:
    setting = field.record.settings[field.name]
    yield f"{path} = {_shown(field)}"
    yield f"  {setting.doc}"
    yield from (f"  {line}" for line in _places(analysis, path))
    planned = _planned(analysis, path)
    if planned is not None and field.record.__dict__[field.name] is None:
        yield f"  the plan makes it {planned}"
    if setting.effect is not None:
        yield f"  another value is {setting.effect.value}: {setting.effect.meaning}"


def _record(elaborated: Elaborated, path: str) -> Record | None:
    """The record at a path, declared or inside another."""
    # A root begins with its module's file, which has a dot in its name.
    root = next((name for name in elaborated.records if f"{path}.".startswith(f"{name}.")), None)
    if root is None:
        return None
    record: object = elaborated.records[root]
    for name in path.removeprefix(root).split(".")[1:]:
        record = record.__dict__.get(name) if isinstance(record, Record) and name in record.settings else None
    return record if isinstance(record, Record) else None


def _field(elaborated: Elaborated, path: str) -> _Field | None:
    parent, _, name = path.rpartition(".")
    record = _record(elaborated, parent)
    return _Field(record, name) if record is not None and name in record.settings.keys() & record.__dict__.keys() else None


def _places(analysis: Analysis, path: str) -> Iterator[str]:
    elaborated = analysis.elaborated
    origin = elaborated.origins.by_path.get(path)
    if origin is None or origin.span is None or not origin.written:
        yield "its default: nothing in the spec sets it"
        return
    yield f"set at {_quoted(origin.span)}"
    for place in origin.trail:
        yield f"{place.message.removesuffix(' here')} {_quoted(place.span)}"
    whence = Origination(elaborated.origins, analysis.library, lambda source: source.name).whence(path)
    if whence.via is not None:
        yield f"{'amended' if whence.amended else 'named'} at {whence.via}"


def _planned(analysis: Analysis, path: str) -> int | None:
    """The batch that the planner derived."""
    stage, _, field = path.partition(".batch.")
    plans = analysis.plan.stages if analysis.plan is not None else ()
    batch = next((plan.batch for plan in plans if plan.name == stage), None)
    if batch is None:
        return None
    return {"global": batch.global_size, "micro": batch.micro, "accumulation": batch.accumulation}.get(field)


def _quoted(span: Span) -> str:
    return f"{span}: {span.source.line_text(span.line).strip()}"


def _shown(field: _Field) -> str:
    value = field.record.__dict__[field.name]
    if isinstance(value, Record) and value.kind:
        return str(value.__dict__["name"])
    return inline(value, field.record.settings[field.name].type)


def _paths(record: Record, prefix: str) -> Iterator[str]:
    # A field that failed is not there.
    for name in [name for name in record.settings if name in record.__dict__]:
        value = record.__dict__[name]
        yield f"{prefix}.{name}"
        if isinstance(value, Record):
            yield from _paths(value, f"{prefix}.{name}")


def _listed(names: list[str]) -> str:
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")
