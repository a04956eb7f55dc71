"""The JSON Schema (2020-12) of what `trainc show --format json` prints, made from the records that the values come from."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from .schema import REQUIRED, Choice, Flag, ListOf, Record, RecordOf, Scalar, Setting, Text, Type
from .show import FORMAT_VERSION, plain
from .spec import StageSpec
from .units import Dimension
from .whence import SORTS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?"

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_ORIGIN: Schema = {
    "type": "object",
    "properties": {
        "from": {"enum": list(SORTS), "description": "what decides the value"},
        "place": {**_TEXT, "description": "file:line of what decides it; what a default and --set decide stands in no file"},
        "name": {**_TEXT, "description": "the let or param"},
        "named_at": {**_TEXT, "description": "where the record that holds the value is named"},
        "amended_at": {**_TEXT, "description": "where the record that holds the value is amended"},
    },
    "required": ["from"],
    "additionalProperties": False,
}


def json_schema() -> Schema:
    """The whole schema: every field required, since a resolved spec has them all, and no other allowed."""
    return {
        "$schema": DIALECT,
        "$id": f"urn:trainc:show:{FORMAT_VERSION}",
        "title": "A resolved training spec",
        "description": "What `trainc show --format json` prints: quantities in base units (bytes, bytes/s, operations/s, seconds), "
        "percentages as shares of one, lengths as `300 steps`.",
        "type": "object",
        "properties": {
            "format_version": {"const": FORMAT_VERSION},
            "stages": {"type": "array", "items": _reference(StageSpec), "minItems": 1},
            "origins": {
                "description": "With --origins: where each value comes from, by its path.",
                "type": "object",
                "additionalProperties": _ORIGIN,
            },
        },
        "required": ["format_version", "stages"],
        "additionalProperties": False,
        "$defs": {_key(shape): _shape(shape) for shape in _shapes(StageSpec)},
    }


def _shapes(shape: type[Record]) -> Iterator[type[Record]]:
    """A shape and all that its values may hold, each once."""
    seen: list[type[Record]] = []
    waiting = [shape]
    while waiting:
        current = waiting.pop(0)
        if current not in seen:
            seen.append(current)
            waiting += [*_members(current), *_held(current)]
    return iter(seen)


def _members(shape: type[Record]) -> list[type[Record]]:
    return list(shape.variants.values()) if _is_family(shape) else []


def _held(shape: type[Record]) -> list[type[Record]]:
    types = [_item(setting.type) for setting in shape.settings.values()]
    return [type.shape for type in types if isinstance(type, RecordOf)]


def _item(type: Type) -> Type:
    return _item(type.item) if isinstance(type, ListOf) else type


def _is_family(shape: type[Record]) -> bool:
    return bool(shape.variants) and not shape.variant


def _key(shape: type[Record]) -> str:
    """A name of its own: a variant's may be another shape's too."""
    family = next((base.title for base in shape.__mro__[1:] if shape.variant and issubclass(base, Record) and base.title), "")
    return f"{family}.{shape.variant}".replace(" ", "_") if shape.variant else shape.title.replace(" ", "_")


def _reference(shape: type[Record]) -> Schema:
    return {"$ref": f"#/$defs/{_key(shape)}"}


def _shape(shape: type[Record]) -> Schema:
    about = {"description": inspect.cleandoc(shape.__doc__ or "") + (" Not built yet." if shape.later else "")}
    if _is_family(shape):
        return {**about, "oneOf": [_reference(variant) for variant in shape.variants.values()]}
    head: Schema = {"name": {"type": "string"}} if shape.kind else {}
    if shape.variant:
        head["variant"] = {"const": shape.variant}
    fields = {name: _field(setting) for name, setting in shape.settings.items()}
    properties: Mapping[str, Schema] = {**head, **fields}
    return {**about, "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _field(setting: Setting) -> Schema:
    allowed = _type(setting.type)
    if setting.optional:
        allowed = {"anyOf": [allowed, {"type": "null"}]}
    default = {} if setting.default is REQUIRED else {"default": plain(setting.default)}
    return {**allowed, "description": setting.doc, **default}


def _type(type: Type) -> Schema:
    match type:
        case Scalar():
            return _scalar(type)
        case Flag():
            return {"type": "boolean"}
        case Text():
            return {"type": "string"}
        case Choice():
            return {"enum": list(type.members)}
        case ListOf():
            length = {} if type.length is None else {"minItems": type.length, "maxItems": type.length}
            return {"type": "array", "items": _type(type.item), **length}
        case RecordOf():
            return _reference(type.shape)
    assert_never(type)


def _scalar(type: Scalar) -> Schema:
    if len(type.dimensions) > 1:
        units = "|".join(dimension.value for dimension in type.dimensions)
        return {"type": "string", "pattern": f"^{_NUMBER} ({units})$"}
    # Bounds are stated in the language's unit, percent points, and values are shares of one.
    unit = 100 if type.dimensions == (Dimension.PERCENT,) else 1
    bounds: Schema = {}
    if type.minimum is not None:
        bounds["exclusiveMinimum" if type.exclusive else "minimum"] = type.minimum / unit if unit > 1 else type.minimum
    if type.maximum is not None:
        bounds["maximum"] = type.maximum / unit if unit > 1 else type.maximum
    return {"type": "integer" if type.integer else "number", **bounds}
