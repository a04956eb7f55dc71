"""Walks the syntax tree."""

from __future__ import annotations

from collections.abc import Iterator

from . import ast


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
