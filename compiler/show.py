"""Prints resolved records as `.train` text or plain JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .schema import Extent, ListOf, Record, Type
from .spec import StageSpec
from .units import format_number
from .values import lift, show
from .whence import Origination, Whence

FORMAT_VERSION = 1


def show_text(stages: Sequence[StageSpec], origination: Origination | None) -> str:
    """The stages as `.train` text in which everything is written out; with `origination` each line says where it comes from."""
    lines: list[str] = []
    for stage in stages:
        body = [(f"stage {stage.name} {{", stage.name), *_fields(stage, stage.name, "  "), ("}", "")]
        lines += [text for text, _ in body] if origination is None else _commented(body, origination)
    return "\n".join(lines)


def origins_json(stages: Sequence[StageSpec], origination: Origination) -> dict[str, dict[str, Any]]:
    """The origin of every field of the stages by its path, records and what is left out included."""
    paths = [path for stage in stages for path in (stage.name, *_paths(stage, stage.name))]
    return {path: _origin_value(origination.whence(path)) for path in paths}


def _origin_value(whence: Whence) -> dict[str, Any]:
    facts = {"from": whence.sort, "place": whence.place, "name": whence.name}
    via = {"amended_at" if whence.amended else "named_at": whence.via}
    return {name: value for name, value in {**facts, **via}.items() if value is not None}


def _commented(body: Sequence[tuple[str, str]], origination: Origination) -> list[str]:
    width = max(len(text) for text, _ in body)
    return [f"{text:<{width}}  # {origination.whence(path)}" if path else text for text, path in body]


def _paths(record: Record, prefix: str) -> Iterator[str]:
    for name in record.settings:
        yield f"{prefix}.{name}"
        value = record.__dict__[name]
        if isinstance(value, Record):
            yield from _paths(value, f"{prefix}.{name}")


def show_json(stages: Sequence[StageSpec]) -> list[dict[str, Any]]:
    """The stages as plain values in base units."""
    return [plain(stage) for stage in stages]


def _fields(record: Record, path: str, indent: str) -> Iterator[tuple[str, str]]:
    """Each line of a record's body, and the path whose value it shows."""
    for name, setting in record.settings.items():
        value, place = record.__dict__[name], f"{path}.{name}"
        if value is None:
            # A field that is left out by default needs no word.
            if setting.default is not None:
                yield f"{indent}{name} = none", place
            continue
        if not isinstance(value, Record):
            yield f"{indent}{name} = {_shown(value, setting.type)}", place
        elif not value.settings:
            yield f"{indent}{name} = {value.variant}", place
        else:
            yield indent + (f"{name} = {value.variant} {{" if value.variant else f"{name} {{"), place
            yield from _fields(value, place, indent + "  ")
            yield f"{indent}}}", ""


def _shown(value: Any, type: Type) -> str:
    if isinstance(type, ListOf):
        return f"[{', '.join(_shown(item, type.item) for item in value)}]"
    return show(lift(value, type))


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
