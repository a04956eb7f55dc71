"""The syntax tree of a `.train` file: frozen nodes that keep their spans, order and comments."""

from __future__ import annotations

from dataclasses import dataclass

from .diagnostics import Diagnostic
from .source import Source, Span
from .tokens import Comment


@dataclass(frozen=True, slots=True)
class Name:
    """A name where it is written."""

    text: str
    span: Span


# Expressions


@dataclass(frozen=True, slots=True)
class Number:
    """`1_000`, `2e-5`, `80 GiB`, `400 Gb/s`, `3%`: the digits without underscores, and the unit as written."""

    digits: str
    unit: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class String:
    """A string; expressions stand between the literal parts of an interpolated one."""

    parts: tuple[str | Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Reference:
    """A bare name: a binding, an enum member or a variant, as the expected type decides."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Member:
    """`base.name`."""

    base: Expression
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Index:
    """`base[position]`."""

    base: Expression
    position: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`function(argument, ...)`; only the language's own functions exist."""

    function: Name
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x` or `not x`."""

    operator: str
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """`left operator right` for `+ - * / // % == != < <= > >= and or in`, and `not in`."""

    left: Expression
    operator: str
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if condition then consequence else alternative`."""

    condition: Expression
    consequence: Expression
    alternative: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class ListLiteral:
    """`[item, ...]`."""

    items: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Amend:
    """`base { ... }`: the base with the named fields replaced."""

    base: Expression
    block: Block
    span: Span


Expression = Number | String | Boolean | Reference | Member | Index | Call | Unary | Binary | Conditional | ListLiteral | Amend


# Blocks


@dataclass(frozen=True, slots=True)
class Field:
    """`name = value` sets a field; `name { ... }` (then `value` is a Block) amends the record it holds."""

    name: Name
    value: Expression | Block
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert condition [else "why"]`, at the top or inside a block."""

    condition: Expression
    reason: String | None
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """`{ entry ... }`, braces included in the span."""

    entries: tuple[Field | Assert, ...]
    span: Span


# Top-level items


@dataclass(frozen=True, slots=True)
class Import:
    """`import std.a.b [as n]` (dotted, `is_file` false) or `import "./x.train" [as n]`."""

    target: str
    is_file: bool
    target_span: Span
    alias: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """`param name: type [= default]`; `type` is a type's name, in brackets for a list of it."""

    name: Name
    type: Name
    is_list: bool
    default: Expression | None
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """`let name = value`."""

    name: Name
    value: Expression
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Declaration:
    """`KIND name [= base] [{ ... }]`; `value` is the base expression, which may carry its block as an Amend."""

    kind: Name
    name: Name
    value: Expression | Block
    doc: str | None
    span: Span


Item = Import | Param | Let | Declaration | Assert


@dataclass(frozen=True, slots=True)
class File:
    """A parsed source: its items in order, every comment, and the places of what could not be read."""

    source: Source
    items: tuple[Item, ...]
    comments: tuple[Comment, ...]
    faults: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What could be read of a source; items at fault are left out, each with a finding."""

    file: File
    findings: tuple[Diagnostic, ...]
