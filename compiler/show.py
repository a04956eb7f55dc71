"""Prints resolved records as `.train` text or plain JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .loader import Library
from .origins import Origins
from .schema import Extent, ListOf, Record, Type
from .spec import StageSpec
from .units import format_number
from .values import lift, show

FORMAT_VERSION = 1


def show_text(stages: Sequence[StageSpec], origins: Origins, library: Library, with_origins: bool) -> str:
    """The stages as `.train` text in which everything is written out."""
    lines: list[str] = []
    for stage in stages:
        body = list(_fields(stage, stage.name, "  ", origins, library))
        width = max(len(text) for text, _ in body) if with_origins else 0
        lines.append(f"stage {stage.name} {{")
        lines += [f"{text:<{width}}  # {origin}".rstrip(" #") if with_origins and origin else text for text, origin in body]
        lines.append("}")
    return "\n".join(lines)


def show_json(stages: Sequence[StageSpec]) -> list[dict[str, Any]]:
    """The stages as plain values in base units."""
    return [plain(stage) for stage in stages]


def _fields(record: Record, path: str, indent: str, origins: Origins, library: Library) -> Iterator[tuple[str, str]]:
    """Each line of a record's body, and where its value comes from."""
    for name, setting in record.settings.items():
        value = record.__dict__[name]
        if value is None:
            continue
        place = f"{path}.{name}"
        origin = _origin(place, origins, library)
        if isinstance(value, Record):
            head = f"{name} = {value.variant} {{" if value.variant else f"{name} {{"
            if not value.settings:
                yield f"{indent}{name} = {value.variant}", origin
                continue
            yield indent + head, origin
            yield from _fields(value, place, indent + "  ", origins, library)
            yield f"{indent}}}", ""
        else:
            yield f"{indent}{name} = {_shown(value, setting.type)}", origin


def _shown(value: Any, type: Type) -> str:
    if isinstance(type, ListOf):
        return f"[{', '.join(_shown(item, type.item) for item in value)}]"
    return show(lift(value, type))


def _origin(place: str, origins: Origins, library: Library) -> str:
    if place not in origins.by_path:
        return "default"
    origin = origins[place]
    if origin.span is None or not origin.written:
        return "default"
    last = origin.trail[-1].span if origin.trail else origin.span
    return f"{library.label(last.source)}:{last.line}"


def plain(value: Any) -> Any:
    """A resolved value as JSON has it: records as objects with their name or variant, quantities in base units."""
    match value:
        case Record():
            named = {"name": value.__dict__["name"]} if value.kind else {}
            variant = {"variant": value.variant} if value.variant else {}
            return {**named, **variant, **{name: plain(value.__dict__[name]) for name in value.settings}}
        case Extent():
            return f"{format_number(value.value)} {value.unit.value}"
        case list():
            return [plain(item) for item in value]
    return value


def inline(value: Any, type: Type) -> str:
    """A resolved value on one line, as a user would write it; a record with the fields that are not at their defaults."""
    if value is None:
        return "left out"
    if not isinstance(value, Record):
        return _shown(value, type)
    own = [(name, entry) for name, entry in value.settings.items() if value.__dict__[name] != entry.default]
    fields = ", ".join(f"{name} = {inline(value.__dict__[name], entry.type)}" for name, entry in own)
    head = value.variant or value.__dict__.get("name", "")
    return f"{head} {{ {fields} }}".strip() if fields else head or "{}"
