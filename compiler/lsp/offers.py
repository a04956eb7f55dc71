"""What fits a place in a spec, as completion items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol import types
from trainc.dsl import ast, unit_words

from ..evaluate import Evaluator
from ..resolve import Scope
from ..schema import Choice, Flag, ListOf, Record, RecordOf, Scalar, Text, Type
from ..spec import ModelSpec, StageSpec
from ..units import UNITS, Dimension, Quantity
from ..values import FieldScope, Poison, RecordValue, Symbol, Value, show, word
from . import snippets, wording
from .index import BlockAt, Slot
from .std_names import standard_names

Kind = types.CompletionItemKind


@dataclass(frozen=True)
class Offer:
    """One thing that fits: what is shown, what is written, how near the front it stands, and a module to import with it."""

    label: str
    kind: types.CompletionItemKind
    detail: str = ""
    documentation: str = ""
    snippet: str | None = None
    rank: int = 5
    module: str | None = None


# Fields, kinds


def fields(block: BlockAt, hole: str) -> Iterator[Offer]:
    """The fields that a block does not set yet, those it must set first."""
    if block.shape is None:
        return
    written = {entry.name.text for entry in block.node.entries if isinstance(entry, ast.Field)} - {hole}
    given = set(block.base.fields) if block.base is not None else set()
    for name, entry in block.shape.settings.items():
        if name in written:
            continue
        missing = entry.required and name not in given
        detail = f"{entry.type.word}{', required' if missing else ''}"
        yield Offer(name, Kind.Field, detail, wording.field_text(name, entry), snippets.field(name, entry), 1 if missing else 2)
    yield Offer("assert", Kind.Keyword, "must hold after planning", rank=8)


def items(kinds: dict[str, type[Record]]) -> Iterator[Offer]:
    """What can begin at the top of a file."""
    for name, shape in kinds.items():
        yield Offer(name, Kind.Struct, "kind", wording.shape_text(shape), snippets.declaration(shape), 2)
    for keyword, snippet in (
        ("import", "import $0"),
        ("param", "param ${1:name}: ${2:count} = $3"),
        ("let", "let ${1:name} = $2"),
        ("assert", "assert $0"),
    ):
        yield Offer(keyword, Kind.Keyword, snippet=snippet, rank=3)


def param_types(kinds: dict[str, type[Record]]) -> Iterator[Offer]:
    """The types of params."""
    for name, text in wording.TYPES.items():
        yield Offer(name, Kind.TypeParameter, documentation=text, rank=1)
    for name, shape in kinds.items():
        yield Offer(name, Kind.Struct, documentation=wording.doc(shape), rank=2)


# Values


@dataclass(frozen=True)
class Offering:
    """Offers from one scope; `leave_out` is the name being declared, which cannot be its own value."""

    scope: Scope
    evaluator: Evaluator
    leave_out: str | None

    def values(self, slot: Slot) -> Iterator[Offer]:
        """What an expression of the expected type can begin with."""
        match slot.expected:
            case Choice():
                yield from _members(slot.expected, slot)
            case RecordOf(shape):
                yield from (_variant(found) for found in shape.variants.values() if not shape.variant)
            case Flag():
                yield from (Offer(text, Kind.Keyword, rank=1) for text in ("true", "false"))
            case Scalar(auto=True):
                yield Offer("auto", Kind.Keyword, "the planner chooses", rank=3)
            case ListOf():
                yield Offer("[]", Kind.Snippet, slot.expected.word, snippet="[$1]", rank=1)
        if isinstance(slot.expected, RecordOf) and slot.expected.shape.kind:
            yield from self.standard(slot.expected.shape.kind)
        if isinstance(slot.scope, FieldScope):
            for name, entry in slot.scope.record.shape.settings.items():
                yield Offer(name, Kind.Field, entry.type.word, wording.field_text(name, entry), rank=2)
        yield from self.names(slot.expected)
        if slot.expected is None or (isinstance(slot.expected, Scalar) and Dimension.NUMBER in slot.expected.dimensions):
            for name, (signature, text) in wording.FUNCTIONS.items():
                yield Offer(name, Kind.Function, signature, text, f"{name}($1)", 7)

    def names(self, expected: Type | None) -> Iterator[Offer]:
        """The names in scope whose values have the type, those of imported modules behind their module's."""
        for name in self.scope.bindings:
            value = self.evaluator.binding(self.scope, name, None) if name != self.leave_out else Poison()
            if isinstance(value, Scope):
                yield Offer(name, Kind.Module, f"module {value.module.label}", rank=6)
                if expected is not None and not isinstance(expected, Choice):
                    yield from self.inside(value, expected, f"{name}.")
            elif name != self.leave_out and _fits(value, expected):
                yield _named(name, value, self.scope)
            if isinstance(value, RecordValue) and value.shape is StageSpec and _is(expected, ModelSpec):
                yield Offer(f"{name}.model", Kind.Value, "what the stage makes of its model", rank=4)

    def standard(self, kind: str) -> Iterator[Offer]:
        """What the standard library has of a kind, in modules that are not imported yet."""
        for found in standard_names():
            if found.kind == kind and found.prefix not in self.scope.bindings:
                detail = f"import {found.module}"
                yield Offer(f"{found.prefix}.{found.name}", Kind.Reference, detail, found.doc, rank=6, module=found.module)

    def inside(self, scope: Scope, expected: Type | None, prefix: str = "") -> Iterator[Offer]:
        """The names of a module whose values have the type."""
        for name in scope.bindings:
            value = self.evaluator.binding(scope, name, None)
            if isinstance(value, Scope) or not _fits(value, expected):
                continue
            offer = _named(name, value, scope)
            yield Offer(prefix + name, offer.kind, offer.detail, offer.documentation, rank=4)


def members(owner: Value | type[Record], offering: Offering) -> Iterator[Offer]:
    """What can stand behind a dot."""
    match owner:
        case Scope():
            yield from offering.inside(owner, None)
        case RecordValue():
            yield from (_read(name, owner.shape) for name in owner.shape.settings)
            if owner.shape is StageSpec:
                yield Offer("plan", Kind.Property, "known after planning: for `assert`", rank=6)
        case type():
            yield from (_read(name, owner) for name in owner.settings)


def units(expected: Type | None) -> Iterator[Offer]:
    """The units that a number of the expected type can have."""
    wanted = expected.dimensions if isinstance(expected, Scalar) else tuple(Dimension)
    for unit in (*unit_words.WORDS, unit_words.PERCENT):
        dimension = UNITS[unit][2]
        if unit == "B" and Dimension.BYTES in wanted:
            dimension = Dimension.BYTES
        if dimension in wanted:
            yield Offer(unit, Kind.Unit, dimension.value if dimension is not Dimension.NUMBER else "multiplier", rank=1)


def _members(choice: Choice, slot: Slot) -> Iterator[Offer]:
    for text in choice.members:
        later = slot.of is not None and slot.of.setting.is_later(text)
        yield Offer(text, Kind.EnumMember, "not built yet" if later else "", rank=2 if later else 1)


def _variant(shape: type[Record]) -> Offer:
    detail = f"{wording.sort(shape)}{', not built yet' if shape.later else ''}"
    return Offer(
        shape.variant, Kind.Constructor, detail, wording.shape_text(shape), snippets.variant(shape), 3 if shape.later else 1
    )


def _named(name: str, value: Value, scope: Scope) -> Offer:
    item = scope.bindings[name]
    doc = item.doc or "" if not isinstance(item, ast.Import) else ""
    kind = Kind.Constant if isinstance(item, ast.Let) else Kind.Variable
    detail = word(value) if isinstance(value, RecordValue | Poison) else show(value)
    return Offer(name, kind, detail, doc, rank=2)


def _read(name: str, shape: type[Record]) -> Offer:
    entry = shape.settings[name]
    return Offer(name, Kind.Field, entry.type.word, wording.field_text(name, entry), rank=2)


def _is(expected: Type | None, shape: type[Record]) -> bool:
    return isinstance(expected, RecordOf) and expected.shape is shape


def _fits(value: Value, expected: Type | None) -> bool:
    """Whether a value can be of a type; what has no value for now fits where anything does."""
    match expected, value:
        case None, _:
            return True
        case RecordOf(), RecordValue():
            return issubclass(value.shape, expected.shape)
        case Scalar(), Quantity():
            return value.dimension in expected.dimensions
        case Flag(), bool():
            return True
        case Text(), str():
            return True
        case Choice(), Symbol():
            return value.text in expected.members
        case ListOf(), tuple():
            return True
    return False
