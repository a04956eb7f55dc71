"""Makes the nodes of the syntax tree as the rules of train.lark are recognised: one method a name after `->`.

Some rules take what users of other languages write (`:` for `=`): they make the node and a finding both.
"""

from __future__ import annotations

import re

from . import syntax_errors
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
    Import,
    Index,
    Let,
    ListLiteral,
    Member,
    Name,
    Number,
    Param,
    Reference,
    String,
    Unary,
)
from .diagnostics import Diagnostic
from .lr import Builder
from .source import Span
from .unit_words import DIGITS_PATTERN

_DIGITS = re.compile(DIGITS_PATTERN)


class Build:
    """The builders of one parse, with its doc comments, the parts of its strings, and its findings."""

    def __init__(self, docs: dict[int, str], strings: dict[int, tuple[str | Expression, ...]], findings: list[Diagnostic]) -> None:
        self.docs = docs
        self.strings = strings
        self.findings = findings

    def table(self) -> dict[str, Builder]:
        """Every builder by its name in the grammar; each takes the span of its rule and the values of its symbols."""
        return {
            "no_items": lambda _: [],
            "first": lambda _, first, *__: first,
            "start_list": lambda _, first: [first],
            "grow_list": _grow_list,
            "parenthesised": lambda _, __, value, ___: value,
            "name": lambda span, text: Name(text, span),
            "number": _number,
            "true": lambda span, _: Boolean(True, span),
            "false": lambda span, _: Boolean(False, span),
            "string": lambda span, _: String(self.strings[span.start], span),
            "reference": lambda span, name: Reference(name.text, span),
            "member": lambda span, base, _, name: Member(base, name, span),
            "index": lambda span, base, _, position, __: Index(base, position, span),
            "amend": lambda span, base, block: Amend(base, block, span),
            "call": _call,
            "unary": lambda span, operator, operand: Unary(operator, operand, span),
            "binary": lambda span, left, operator, right: Binary(left, operator, right, span),
            "not_in": lambda span, left, _, __, right: Binary(left, "not in", right, span),
            "conditional": lambda span, _, condition, __, yes, ___, no: Conditional(condition, yes, no, span),
            "empty_list": lambda span, *_: ListLiteral((), span),
            "list_literal": lambda span, _, items, *__: ListLiteral(tuple(items), span),
            "empty_block": lambda span, *_: Block((), span),
            "block": lambda span, _, entries, *__: Block(tuple(entries), span),
            "field": lambda span, name, _, value: Field(name, value, self._doc(span), span),
            "nested_field": lambda span, name, block: Field(name, block, self._doc(span), span),
            "assigned_block": self._assigned_block,
            "colon_field": self._colon_field,
            "detached_block": self._detached_block,
            "assertion": _assertion,
            "import_module": _import_module,
            "import_file": _import_file,
            "param": self._param,
            "list_param": self._list_param,
            "let": lambda span, _, name, __, value: Let(name, value, self._doc(span), span),
            "colon_let": self._colon_let,
            "declaration": self._declaration,
            "derived_declaration": lambda span, kind, name, _, base: self._declaration(span, kind, name, base),
            "assigned_declaration": self._assigned_declaration,
            "colon_declaration": self._colon_declaration,
            "detached_declaration": self._detached_declaration,
        }

    def _doc(self, span: Span) -> str | None:
        return self.docs.get(span.start)

    def _param(self, span: Span, _: str, name: Name, __: str, type_: Name, *default: Expression) -> Param:
        return Param(name, type_, False, default[-1] if default else None, self._doc(span), span)

    def _list_param(self, span: Span, _: str, name: Name, __: str, ___: str, type_: Name, ____: str, *default: Expression) -> Param:
        return Param(name, type_, True, default[-1] if default else None, self._doc(span), span)

    def _declaration(self, span: Span, kind: Name, name: Name, value: Expression | Block) -> Declaration:
        return Declaration(kind, name, value, self._doc(span), span)

    # What is understood, and said not to be the language

    def _assigned_block(self, span: Span, name: Name, _: str, block: Block) -> Field:
        self.findings.append(syntax_errors.equal_before_block(_between(name, block), name.text))
        return Field(name, block, self._doc(span), span)

    def _colon_field(self, span: Span, name: Name, _: str, value: Expression | Block) -> Field:
        self.findings.append(syntax_errors.colon_for_equal(_between(name, value), name.text, _is_block(value)))
        return Field(name, value, self._doc(span), span)

    def _detached_block(self, span: Span, name: Name, _: str, block: Block) -> Field:
        self.findings.append(syntax_errors.brace_on_next_line(_between(name, block), name.text))
        return Field(name, block, self._doc(span), span)

    def _colon_let(self, span: Span, _: str, name: Name, __: str, value: Expression) -> Let:
        self.findings.append(syntax_errors.colon_for_equal(_between(name, value), name.text, False))
        return Let(name, value, self._doc(span), span)

    def _assigned_declaration(self, span: Span, kind: Name, name: Name, _: str, block: Block) -> Declaration:
        self.findings.append(syntax_errors.equal_before_block(_between(name, block), name.text))
        return self._declaration(span, kind, name, block)

    def _colon_declaration(self, span: Span, kind: Name, name: Name, _: str, value: Expression | Block) -> Declaration:
        self.findings.append(syntax_errors.colon_for_equal(_between(name, value), name.text, _is_block(value)))
        return self._declaration(span, kind, name, value)

    def _detached_declaration(self, span: Span, kind: Name, name: Name, _: str, block: Block) -> Declaration:
        self.findings.append(syntax_errors.brace_on_next_line(_between(name, block), name.text))
        return self._declaration(span, kind, name, block)


def _grow_list(_: Span, items: list[object], *separator_and_item: object) -> list[object]:
    items.append(separator_and_item[-1])
    return items


def _number(span: Span, text: str) -> Number:
    digits = _DIGITS.match(text)
    assert digits is not None
    unit = " ".join(text[digits.end() :].split())
    return Number(digits.group().replace("_", ""), unit or None, span)


def _call(span: Span, function: Name, _: str, *rest: object) -> Call:
    arguments = rest[0] if isinstance(rest[0], list) else []
    return Call(function, tuple(arguments), span)


def _assertion(span: Span, _: str, condition: Expression, *reason: object) -> Assert:
    return Assert(condition, reason[-1] if reason and isinstance(reason[-1], String) else None, span)


def _import_module(span: Span, _: str, target: list[Name], *alias: object) -> Import:
    where = target[0].span.to(target[-1].span)
    return Import(".".join(name.text for name in target), False, where, _alias(alias), span)


def _import_file(span: Span, _: str, target: String, *alias: object) -> Import:
    path = "".join(part for part in target.parts if isinstance(part, str))
    return Import(path, True, target.span, _alias(alias), span)


def _alias(words: tuple[object, ...]) -> Name | None:
    return words[-1] if words and isinstance(words[-1], Name) else None


def _is_block(value: Expression | Block) -> bool:
    return isinstance(value, Block)


def _between(name: Name, value: Expression | Block) -> Span:
    """The mark between a name and its value, with the blanks around it."""
    return Span(name.span.source, name.span.end, value.span.start)
