"""Prints syntax trees as `.train` text: valid, and read back as the same tree."""

from __future__ import annotations

from typing import assert_never

from .ast import (
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
from .unit_words import MULTIPLIERS, PERCENT, is_compound_duration

WIDTH = 100
_INDENT = "  "

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
            return _entry(node, "")
        case Block():
            return _block(node, "")
        case _:
            return _expression(node, _CONDITIONAL, "")


def _file(file: File) -> str:
    text = ""
    for index, item in enumerate(file.items):
        # Neighbours of one kind stand together, except records.
        apart = index > 0 and (isinstance(item, Declaration) or type(item) is not type(file.items[index - 1]))
        text += ("\n" if apart else "") + f"{_item(item)}\n"
    return text


def _item(item: Item) -> str:
    match item:
        case Import():
            target = _quoted(item.target) if item.is_file else item.target
            return f"import {target}" + (f" as {item.alias.text}" if item.alias else "")
        case Param():
            type_name = f"[{item.type.text}]" if item.is_list else item.type.text
            default = f" = {_expression(item.default, _CONDITIONAL, '')}" if item.default is not None else ""
            return f"{_doc(item.doc, '')}param {item.name.text}: {type_name}{default}"
        case Let():
            return f"{_doc(item.doc, '')}let {item.name.text} = {_expression(item.value, _CONDITIONAL, '')}"
        case Declaration():
            return f"{_doc(item.doc, '')}{item.kind.text} {item.name.text} {_value(item.value, '')}"
        case Assert():
            return _assert(item, "")
    assert_never(item)


def _value(value: Expression | Block, indent: str | None) -> str:
    return _block(value, indent) if isinstance(value, Block) else f"= {_expression(value, _CONDITIONAL, indent)}"


def _doc(doc: str | None, indent: str) -> str:
    lines = doc.split("\n") if doc is not None else []
    return "".join(f"## {line}".rstrip(" " if not line else "") + f"\n{indent}" for line in lines)


def _assert(entry: Assert, indent: str | None) -> str:
    reason = f" else {_string(entry.reason)}" if entry.reason is not None else ""
    return f"assert {_expression(entry.condition, _CONDITIONAL, indent)}{reason}"


def _entry(entry: Field | Assert, indent: str | None) -> str:
    if isinstance(entry, Assert):
        return _assert(entry, indent)
    doc = _doc(entry.doc, indent) if indent is not None else ""
    return f"{doc}{entry.name.text} {_value(entry.value, indent)}"


def _block(block: Block, indent: str | None) -> str:
    """A block on one line where it fits and has no doc comments; without an indent always on one line."""
    if not block.entries:
        return "{}"
    if indent is None or not _has_doc(block):
        line = f"{{ {', '.join(_entry(entry, None) for entry in block.entries)} }}"
        if indent is None or len(indent) + len(line) <= WIDTH:
            return line
    inner = indent + _INDENT
    lines = "".join(f"{inner}{_entry(entry, inner)}\n" for entry in block.entries)
    return f"{{\n{lines}{indent}}}"


def _has_doc(block: Block) -> bool:
    fields = [entry for entry in block.entries if isinstance(entry, Field)]
    inner = [_inner_block(field.value) for field in fields]
    return any(field.doc is not None for field in fields) or any(_has_doc(block) for block in inner if block)


def _inner_block(value: Expression | Block) -> Block | None:
    return value.block if isinstance(value, Amend) else value if isinstance(value, Block) else None


def _expression(node: Expression, level: int, indent: str | None) -> str:
    """The text of an expression in a place that binds at `level`."""
    text, own_level = _parts(node, indent)
    return text if own_level >= level else f"({text})"


def _parts(node: Expression, indent: str | None) -> tuple[str, int]:
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
            return f"{_expression(node.base, _POSTFIX, indent)}.{node.name.text}", _POSTFIX
        case Index():
            position = _expression(node.position, _CONDITIONAL, indent)
            return f"{_expression(node.base, _POSTFIX, indent)}[{position}]", _POSTFIX
        case Call():
            return f"{node.function.text}({_listed(node.arguments, indent)})", _ATOM
        case ListLiteral():
            return f"[{_listed(node.items, indent)}]", _ATOM
        case Amend():
            return f"{_expression(node.base, _POSTFIX, indent)} {_block(node.block, indent)}", _POSTFIX
        case Unary():
            level = _NOT if node.operator == "not" else _SIGN
            space = " " if node.operator == "not" else ""
            return f"{node.operator}{space}{_expression(node.operand, level, indent)}", level
        case Binary():
            return _binary(node, indent)
        case Conditional():
            condition, yes, no = (
                _expression(part, _CONDITIONAL, indent) for part in (node.condition, node.consequence, node.alternative)
            )
            return f"if {condition} then {yes} else {no}", _CONDITIONAL
    assert_never(node)


def _binary(node: Binary, indent: str | None) -> tuple[str, int]:
    level = _BINARY_LEVELS[node.operator]
    # Operators group to the left; comparisons do not group at all.
    left = _expression(node.left, level + (level == _COMPARISON), indent)
    return f"{left} {node.operator} {_expression(node.right, level + 1, indent)}", level


def _listed(items: tuple[Expression, ...], indent: str | None) -> str:
    return ", ".join(_expression(item, _CONDITIONAL, indent) for item in items)


def _number(node: Number) -> str:
    unit = node.unit or ""
    first = unit.split(" ")[0]
    glued = first in MULTIPLIERS or unit == PERCENT or is_compound_duration(unit)
    return f"{node.digits}{unit}" if glued or not unit else f"{node.digits} {unit}"


def _string(node: String) -> str:
    inner = "".join(
        _escaped(part) if isinstance(part, str) else f"${{{_expression(part, _CONDITIONAL, None)}}}" for part in node.parts
    )
    return f'"{inner}"'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    plain = "".join(_ESCAPES.get(char) or (char if char.isprintable() else f"\\u{{{ord(char):x}}}") for char in text)
    return plain.replace("${", "\\u{24}{")
