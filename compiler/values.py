"""What expressions evaluate to before a record is complete: quantities, symbols, and records whose fields are still expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from trainc.dsl import ast
from trainc.dsl.source import Span

from .resolve import Scope
from .schema import Choice, Extent, ListOf, Record, Scalar, Type
from .units import Dimension, Quantity, format_quantity


@dataclass(frozen=True, slots=True)
class Symbol:
    """A member of an enum."""

    text: str
    choice: Choice


@dataclass(frozen=True, slots=True)
class Absent:
    """An optional field that is left out."""


@dataclass(frozen=True, slots=True)
class Poison:
    """What failed already and was reported; whatever depends on it is silent."""


@dataclass(frozen=True, slots=True)
class Written:
    """A field as written; `base` is what a block amends, where an outer record gave it."""

    name: ast.Name
    value: ast.Expression | ast.Block
    scope: Scope
    base: Entry | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """A field whose plain value is known: a default, or what a stage's output implies."""

    value: Any


Entry = Written | Given | Poison


@dataclass(frozen=True, eq=False)
class RecordValue:
    """A record under construction: fields stay unevaluated, so that amending one recomputes what derives from it."""

    shape: type[Record]
    fields: Mapping[str, Entry]
    asserts: tuple[tuple[ast.Assert, Scope], ...]
    name: str
    span: Span | None

    def named(self, name: str, span: Span) -> RecordValue:
        """The same record as the declaration `name` makes it."""
        return replace(self, name=name, span=span)

    def with_entry(self, name: str, entry: Entry) -> RecordValue:
        """The same record with one field written otherwise."""
        return replace(self, fields={**self.fields, name: entry})

    def with_given(self, **values: Any) -> RecordValue:
        """The same record with plain values in some fields."""
        return replace(self, fields={**self.fields, **{name: Given(value) for name, value in values.items()}})


@dataclass(frozen=True, eq=False)
class FieldScope(Scope):
    """The names inside a block's `assert`: the fields of the record, then those of the module around it."""

    record: RecordValue
    outer: Scope


class WrittenText(str):
    """A string that knows the label of the module it is written in: as a path it is relative to that file, wherever it is used."""

    label: str

    @classmethod
    def at(cls, text: str, label: str) -> WrittenText:
        """A text as written in a module."""
        written = cls(text)
        written.label = label
        return written


Value = Quantity | bool | str | Symbol | Absent | Poison | RecordValue | Scope | tuple[Any, ...]
ABSENT = Absent()
POISON = Poison()


def lift(value: Any, type: Type) -> Value:
    """A field's plain value as the value that expressions compute with."""
    match value, type:
        case None, _:
            return ABSENT
        case Extent(), _:
            return Quantity(value.value, value.unit)
        case Record(), _:
            return lift_record(value)
        case _, Choice():
            return Symbol(value, type)
        case _, ListOf():
            return tuple(lift(item, type.item) for item in value)
        case _, Scalar(dimensions=(Dimension.PERCENT,)):
            # Percent points have at most nine decimals in any spec; the rounding hides 0.07 * 100 == 7.000000000000001.
            points = round(value * 100, 9)
            return Quantity(int(points) if points == int(points) else points, Dimension.PERCENT)
        case _, Scalar():
            return Quantity(value, type.dimensions[0])
    plain: bool | str = value
    return plain


def lift_record(record: Record, span: Span | None = None) -> RecordValue:
    """A finished record as one that can be read and amended; what it does not know is poison."""
    known = record.__dict__
    fields: dict[str, Entry] = {name: Given(known[name]) if name in known else POISON for name in record.settings}
    return RecordValue(record.__class__, fields, (), record.__dict__.get("name", ""), span)


def word(value: Value) -> str:
    """What sort of value it is, in the user's words."""
    match value:
        case Quantity():
            return value.dimension.value
        case bool():
            return "bool"
        case str():
            return "string"
        case Symbol():
            return f"`{value.text}`"
        case tuple():
            return "list"
        case RecordValue():
            return value.shape.title
        case Scope():
            return "module"
        case Absent() | Poison():
            return "nothing"


def show(value: Value) -> str:
    """The value as a user would write it."""
    match value:
        case Quantity():
            return format_quantity(value)
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case Symbol():
            return value.text
        case tuple():
            return f"[{', '.join(show(item) for item in value)}]"
        case RecordValue():
            return value.name or value.shape.variant or value.shape.title
        case Scope():
            return f"module {value.module.label}"
        case Absent() | Poison():
            return "nothing"
