"""Walks the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import ast
from .source import Span

_SEPARATOR = re.compile(r"[{},\n]")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def item_at(file: ast.File, offset: int) -> ast.Item | None:
    """The top-level item around a place."""
    return next((item for item in file.items if item.span.start <= offset < item.span.end), None)


def expressions(item: ast.Item) -> Iterator[ast.Expression]:
    """Every expression in a top-level item."""
    for value in values(item):
        yield from walk(value)


def values(item: ast.Item) -> Iterator[ast.Expression | ast.Block]:
    """The nodes directly inside a top-level item."""
    match item:
        case ast.Let() | ast.Declaration():
            yield item.value
        case ast.Param() if item.default is not None:
            yield item.default
        case ast.Assert():
            yield item.condition
            if item.reason is not None:
                yield item.reason


def walk(node: ast.Expression | ast.Block) -> Iterator[ast.Expression]:
    """Every expression in a node, itself included, outermost first."""
    if isinstance(node, ast.Block):
        for entry in node.entries:
            if not isinstance(entry, ast.Assert):
                yield from walk(entry.value)
                continue
            yield from walk(entry.condition)
            if entry.reason is not None:
                yield from walk(entry.reason)
        return
    yield node
    for child in children(node):
        yield from walk(child)


def children(node: ast.Expression) -> tuple[ast.Expression | ast.Block, ...]:
    """The nodes directly inside an expression."""
    match node:
        case ast.Member():
            return (node.base,)
        case ast.Index():
            return (node.base, node.position)
        case ast.Call():
            return node.arguments
        case ast.Unary():
            return (node.operand,)
        case ast.Binary():
            return (node.left, node.right)
        case ast.Conditional():
            return (node.condition, node.consequence, node.alternative)
        case ast.ListLiteral():
            return node.items
        case ast.Amend():
            return (node.base, node.block)
        case ast.String():
            return tuple(part for part in node.parts if not isinstance(part, str))
    return ()


def entry_span(place: Span) -> Span:
    """The part of its line, between braces and commas, in which a span starts."""
    source, line = place.source, place.source.line_starts[place.line - 1]
    before = [found.end() for found in _SEPARATOR.finditer(source.text, line, place.start)]
    after = _SEPARATOR.search(source.text, place.start)
    return Span(source, before[-1] if before else line, after.start() if after else len(source.text))


def words(place: Span) -> set[str]:
    """The words of the entry in which a span starts."""
    return set(_WORD.findall(entry_span(place).text))


def faults_in(block: ast.Block, file: ast.File) -> list[Span]:
    """The syntax faults of a file that took an entry of this very block, not of one inside it."""
    if not file.faults or block.span.source is not file.source:
        return []
    inner = [part.span for entry in block.entries if isinstance(entry, ast.Field) for part in _blocks(entry.value)]
    return [
        fault for fault in file.faults if block.span.touches(fault.start) and not any(span.touches(fault.start) for span in inner)
    ]


def _blocks(node: ast.Expression | ast.Block) -> Iterator[ast.Block]:
    if isinstance(node, ast.Block):
        yield node
        return
    for child in children(node):
        yield from _blocks(child)
