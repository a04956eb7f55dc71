"""From an evaluated value to the plain value of a field, with every check of type, dimension and bounds."""

from __future__ import annotations

import re
from typing import Any

from trainc.dsl.diagnostics import Diagnostic, Edit, Fix
from trainc.dsl.source import Span
from trainc.dsl.unit_words import DIGITS_PATTERN, UNIT_PATTERN

from . import type_errors
from .schema import Choice, Extent, Flag, ListOf, Record, RecordOf, Scalar, Text, Type
from .units import Dimension, Quantity, format_number, format_quantity, read_number
from .values import RecordValue, Symbol, Value, show, word

_DIGITS = re.compile(r"[0-9_]+")
_EXAMPLES = {
    Dimension.BYTES: "{} GB",
    Dimension.BANDWIDTH: "{} Gb/s",
    Dimension.FLOPS: "{} TFLOPS",
    Dimension.DURATION: "{}min",
    Dimension.STEPS: "{} steps",
    Dimension.SAMPLES: "{} samples",
    Dimension.TOKENS: "{} tokens",
}

# Compiled where a string turns out to be a number: the pattern is long, and few specs need it.
_NUMBER = rf"(?P<digits>{DIGITS_PATTERN})(?P<unit>(?:{UNIT_PATTERN})?)"


def check(value: Value, type: Type, span: Span) -> Diagnostic | None:
    """What is wrong with `value` as a `type`, if anything."""
    match type, value:
        case Scalar(), Quantity():
            return _check_scalar(value, type, span)
        case Flag(), bool():
            return None
        case Text(), str():
            return None
        case Choice(), Symbol():
            if value.text in type.members:
                return None
        case ListOf(), tuple():
            return _check_list(value, type, span)
        case RecordOf(), RecordValue():
            if issubclass(value.shape, type.shape):
                return None
    fix = _unquoted(value, type, span) or _listed(value, type, span)
    return type_errors.mismatch(_article(type.word), _described(value), span, fix, None if fix else _record_help(value, type))


def _listed(value: Value, type: Type, span: Span) -> Fix | None:
    """The brackets that are missing around one item of a list."""
    fits = isinstance(type, ListOf) and not isinstance(value, tuple) and check(value, type.item, span) is None
    if not fits or (isinstance(type, ListOf) and type.length not in (None, 1)):
        return None
    return Fix(f"write `[{span.text}]`", (Edit(Span(span.source, span.start, span.end), f"[{span.text}]"),))


def _record_help(value: Value, type: Type) -> str | None:
    """How a record of the wanted sort is written, where something else stands."""
    if not isinstance(type, RecordOf):
        return None
    shape = type.shape
    if isinstance(value, RecordValue) and value.name and (field := _field_of(value, shape)):
        return f"did you mean `{value.name}.{field}`?"
    if shape.variants:
        return f"name one of {', '.join(shape.variants)}"
    if shape.kind:
        return f"name a declared `{shape.kind}`, without quotes"
    needed = [name for name, entry in shape.settings.items() if entry.required] or list(shape.settings)[:1]
    return f"set its fields in a block: `{shape.title} {{ {', '.join(f'{name} = ...' for name in needed)} }}`"


def _field_of(value: RecordValue, shape: type[Record]) -> str | None:
    """The one field of a record that holds what is wanted."""
    held = [name for name, entry in value.shape.settings.items() if isinstance(entry.type, RecordOf) and entry.type.shape is shape]
    return held[0] if len(held) == 1 else None


def _unquoted(value: Value, type: Type, span: Span) -> Fix | None:
    """The same without quotes, where a string says what stands here as a number, a truth value or a bare word."""
    if not isinstance(value, str) or span.text != f'"{value}"' or not _reads_as(value, type, span):
        return None
    return Fix("leave out the quotes", (Edit(span, value),))


def _reads_as(text: str, type: Type, span: Span) -> bool:
    match type:
        case Scalar() if number := re.fullmatch(_NUMBER, text):
            unit = number["unit"].strip() or None
            quantity = read_number(number["digits"].replace("_", ""), unit, Dimension.BYTES in type.dimensions)
            return quantity is not None and check(quantity, type, span) is None
        case Flag():
            return text in ("true", "false")
        case Choice():
            return text in type.members
        case RecordOf():
            return text in type.shape.variants
    return False


def plain(value: Value, type: Type) -> Any:
    """The plain value of a checked one; records stay as they are."""
    match type, value:
        case Scalar(dimensions=(Dimension.PERCENT,)), Quantity():
            return value.fraction
        case Scalar(), Quantity():
            if len(type.dimensions) > 1:
                return Extent(value.value, value.dimension)
            return int(value.value) if type.integer else float(value.value)
        case _, Symbol():
            return value.text
        case _, str():
            return str(value)
        case ListOf(), tuple():
            return [plain(item, type.item) for item in value]
    return value


def _check_scalar(value: Quantity, type: Scalar, span: Span) -> Diagnostic | None:
    if value.dimension not in type.dimensions:
        fix = _with_unit(value, type, span)
        help = None if fix else _unit_help(value, type, span)
        return type_errors.mismatch(_article(type.word), _described(value), span, fix, help)
    whole = type.integer or value.dimension in (Dimension.STEPS, Dimension.TOKENS, Dimension.SAMPLES)
    if whole and value.value != int(value.value):
        return type_errors.not_whole(format_quantity(value), span)
    below = type.minimum is not None and (value.value < type.minimum or (type.exclusive and value.value == type.minimum))
    if below or (type.maximum is not None and value.value > type.maximum):
        return type_errors.out_of_bounds(format_quantity(value), _bounds(type), span)
    return None


def _check_list(value: tuple[Any, ...], type: ListOf, span: Span) -> Diagnostic | None:
    if type.length is not None and len(value) != type.length:
        return type_errors.list_length(type.length, len(value), span)
    return next((fault for item in value if (fault := check(item, type.item, span)) is not None), None)


def _bounds(type: Scalar) -> str:
    least = format_number(type.minimum) if type.minimum is not None else ""
    if type.maximum is not None:
        return f"{least} to {format_number(type.maximum)}"
    return f"more than {least}" if type.exclusive else f"at least {least}"


def _article(noun: str) -> str:
    if " | " in noun or noun[0] == "[" or noun in ("bytes", "flops", "steps"):
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _points(value: float) -> str:
    """Percent points as one writes them."""
    points = round(value, 9)
    return format_number(int(points) if points == int(points) else points)


def _with_unit(value: Quantity, type: Scalar, span: Span) -> Fix | None:
    """The unit behind a bare number, where its field takes no other."""
    if type.dimensions != (Dimension.STEPS,) or value.dimension is not Dimension.NUMBER or not _DIGITS.fullmatch(span.text):
        return None
    return Fix(f"write `{span.text} steps`", (Edit(span, f"{span.text} steps"),))


def _unit_help(value: Quantity, type: Scalar, span: Span) -> str | None:
    """How a number is written where a quantity stands, and the other way round."""
    shown = span.text if _DIGITS.fullmatch(span.text) else "100"
    match value.dimension, type.dimensions:
        case Dimension.NUMBER, (Dimension.PERCENT,):
            return f"a share is written in percent: `{_points(value.value * 100 if 0 <= value.value <= 1 else value.value)}%`"
        case Dimension.NUMBER, dimensions if Dimension.PERCENT in dimensions and 0 < value.value < 1:
            return f"a share of the run is written in percent: `{_points(100 * value.value)}%`"
        case Dimension.NUMBER, dimensions if examples := [_EXAMPLES[one] for one in dimensions if one in _EXAMPLES]:
            return f"write it with its unit: {' or '.join(f'`{example.format(shown)}`' for example in examples)}"
        case Dimension.PERCENT, (Dimension.NUMBER,) if not type.integer:
            return f"write the number itself: `{format_number(round(value.value / 100, 12))}`"
    return None


def _described(value: Value) -> str:
    described = word(value)
    shown = show(value)
    return described if shown in described else f"{described} `{shown}`"
