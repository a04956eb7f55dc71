"""Says where a field's value comes from: the place that set it, the names it goes through, or its default."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.source import Span

from .elaborate import Elaborated
from .schema import Record
from .values import lift, show


def explain_field(elaborated: Elaborated, path: str) -> str | None:
    """The value of a field and the places behind it, a line each; None where the spec has no such field."""
    found = _field(elaborated, path)
    if found is None:
        return None
    record, name = found
    lines = [record.settings[name].doc, *_places(elaborated, path)]
    return "\n".join([f"{path} = {_shown(record, name)}", *(f"  {line}" for line in lines)])


def fields(elaborated: Elaborated) -> list[str]:
    """The paths of all fields of the spec's records."""
    return [path for root, record in elaborated.records.items() for path in _paths(record, root)]


def _field(elaborated: Elaborated, path: str) -> tuple[Record, str] | None:
    root, *names = path.split(".")
    record: object = elaborated.records.get(root)
    for name in names[:-1]:
        record = record.__dict__.get(name) if isinstance(record, Record) else None
    if isinstance(record, Record) and names and names[-1] in record.__dict__:
        return record, names[-1]
    return None


def _places(elaborated: Elaborated, path: str) -> Iterator[str]:
    origin = elaborated.origins.by_path.get(path)
    if origin is None or origin.span is None or not origin.written:
        yield "its default: nothing in the spec sets it"
        return
    yield f"set at {_quoted(origin.span)}"
    for place in origin.trail:
        yield f"{place.message.removesuffix(' here')} {_quoted(place.span)}"


def _quoted(span: Span) -> str:
    return f"{span}: {span.source.line_text(span.line).strip()}"


def _shown(record: Record, name: str) -> str:
    value, wanted = record.__dict__[name], record.settings[name].type
    match value:
        case None:
            return "left out"
        case Record():
            return str(value.variant or value.__dict__.get("name") or value.title)
        case list():
            return f"[{', '.join(map(str, value))}]"
    return show(lift(value, wanted))


def _paths(record: Record, prefix: str) -> Iterator[str]:
    for name, value in record.__dict__.items():
        if name in record.settings:
            yield f"{prefix}.{name}"
            if isinstance(value, Record):
                yield from _paths(value, f"{prefix}.{name}")
