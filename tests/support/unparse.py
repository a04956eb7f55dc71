"""Spells syntax trees as `.train` text that is read back as the same tree.

Lines end only between items and where doc comments need it, which therefore have no place inside interpolations.
"""

from __future__ import annotations

from typing import assert_never

from trainc.dsl.ast import (
    Amend,
    Assert,
    Binary,
    Block,
    Boolean,
    Call,
    Conditional,
    Declaration,
    Expression,
    Field,
    File,
    Import,
    Index,
    Item,
    Let,
    ListLiteral,
    Member,
    Number,
    Param,
    Reference,
    String,
    Unary,
)
from trainc.dsl.unit_words import MULTIPLIERS, PERCENT, is_compound_duration

# How tightly each form binds, as in train.lark; a looser one inside a tighter one needs parentheses.
_CONDITIONAL, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _POSTFIX, _ATOM = range(10)
_BINARY_LEVELS = {
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "not in"), _COMPARISON),
    **dict.fromkeys(("+", "-"), _SUM),
    **dict.fromkeys(("*", "/", "//", "%"), _PRODUCT),
}
_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def unparse(node: File | Item | Field | Block | Expression) -> str:
    """The text of a node, without a line end after it; a file ends with one."""
    match node:
        case File():
            return _file(node)
        case Import() | Param() | Let() | Declaration() | Assert():
            return _item(node)
        case Field():
            return _entry(node)
        case Block():
            return _block(node)
        case _:
            return _expression(node, _CONDITIONAL)


def _file(file: File) -> str:
    return "".join(f"{_item(item)}\n" for item in file.items)


def _item(item: Item) -> str:
    match item:
        case Import():
            target = _quoted(item.target) if item.is_file else item.target
            return f"import {target}" + (f" as {item.alias.text}" if item.alias else "")
        case Param():
            type_name = f"[{item.type.text}]" if item.is_list else item.type.text
            default = f" = {_expression(item.default, _CONDITIONAL)}" if item.default is not None else ""
            return f"{_doc(item.doc)}param {item.name.text}: {type_name}{default}"
        case Let():
            return f"{_doc(item.doc)}let {item.name.text} = {_expression(item.value, _CONDITIONAL)}"
        case Declaration():
            return f"{_doc(item.doc)}{item.kind.text} {item.name.text} {_value(item.value)}"
        case Assert():
            return _assert(item)
    assert_never(item)


def _value(value: Expression | Block) -> str:
    return _block(value) if isinstance(value, Block) else f"= {_expression(value, _CONDITIONAL)}"


def _doc(doc: str | None) -> str:
    lines = doc.split("\n") if doc is not None else []
    return "".join(f"## {line}".rstrip(" " if not line else "") + "\n" for line in lines)


def _assert(entry: Assert) -> str:
    reason = f" else {_string(entry.reason)}" if entry.reason is not None else ""
    return f"assert {_expression(entry.condition, _CONDITIONAL)}{reason}"


def _entry(entry: Field | Assert) -> str:
    if isinstance(entry, Assert):
        return _assert(entry)
    return f"{_doc(entry.doc)}{entry.name.text} {_value(entry.value)}"


def _block(block: Block) -> str:
    """A block on one line, unless doc comments need lines of their own."""
    if not block.entries:
        return "{}"
    entries = [_entry(entry) for entry in block.entries]
    if any(isinstance(entry, Field) and entry.doc is not None for entry in block.entries):
        return "{\n" + "".join(f"{entry}\n" for entry in entries) + "}"
    return f"{{ {', '.join(entries)} }}"


def _expression(node: Expression, level: int) -> str:
    """The text of an expression in a place that binds at `level`."""
    text, own_level = _parts(node)
    return text if own_level >= level else f"({text})"


def _parts(node: Expression) -> tuple[str, int]:
    """An expression's text, and how tightly it binds."""
    match node:
        case Number():
            # Not an atom: `3.x` would be a reader's riddle.
            return _number(node), _SIGN
        case String():
            return _string(node), _ATOM
        case Boolean():
            return ("true" if node.value else "false"), _ATOM
        case Reference():
            return node.name, _ATOM
        case Member():
            return f"{_expression(node.base, _POSTFIX)}.{node.name.text}", _POSTFIX
        case Index():
            position = _expression(node.position, _CONDITIONAL)
            return f"{_expression(node.base, _POSTFIX)}[{position}]", _POSTFIX
        case Call():
            return f"{node.function.text}({_listed(node.arguments)})", _ATOM
        case ListLiteral():
            return f"[{_listed(node.items)}]", _ATOM
        case Amend():
            return f"{_expression(node.base, _POSTFIX)} {_block(node.block)}", _POSTFIX
        case Unary():
            level = _NOT if node.operator == "not" else _SIGN
            space = " " if node.operator == "not" else ""
            return f"{node.operator}{space}{_expression(node.operand, level)}", level
        case Binary():
            return _binary(node)
        case Conditional():
            condition, yes, no = (_expression(part, _CONDITIONAL) for part in (node.condition, node.consequence, node.alternative))
            return f"if {condition} then {yes} else {no}", _CONDITIONAL
    assert_never(node)


def _binary(node: Binary) -> tuple[str, int]:
    level = _BINARY_LEVELS[node.operator]
    # Operators group to the left; comparisons do not group at all.
    left = _expression(node.left, level + (level == _COMPARISON))
    return f"{left} {node.operator} {_expression(node.right, level + 1)}", level


def _listed(items: tuple[Expression, ...]) -> str:
    return ", ".join(_expression(item, _CONDITIONAL) for item in items)


def _number(node: Number) -> str:
    unit = node.unit or ""
    first = unit.split(" ")[0]
    glued = first in MULTIPLIERS or unit == PERCENT or is_compound_duration(unit)
    return f"{node.digits}{unit}" if glued or not unit else f"{node.digits} {unit}"


def _string(node: String) -> str:
    inner = "".join(_escaped(part) if isinstance(part, str) else f"${{{_expression(part, _CONDITIONAL)}}}" for part in node.parts)
    return f'"{inner}"'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    plain = "".join(_ESCAPES.get(char) or (char if char.isprintable() else f"\\u{{{ord(char):x}}}") for char in text)
    return plain.replace("${", "\\u{24}{")
