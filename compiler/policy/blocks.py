"""Says in which block a place stands: `stage sft.batch.micro`, wherever in the file that is."""

from __future__ import annotations

from trainc.dsl import ast
from trainc.dsl.source import Span
from trainc.dsl.visitor import children


def block_path(file: ast.File, place: Span) -> str:
    """The declaration around a place and the fields that lead to it; empty outside of any."""
    for item in file.items:
        if item.span.touches(place.start):
            return _item(item, place)
    return ""


def _item(item: ast.Item, place: Span) -> str:
    match item:
        case ast.Declaration():
            return f"{item.kind.text} {item.name.text}{_inside(item.value, place)}"
        case ast.Let():
            return f"let {item.name.text}{_inside(item.value, place)}"
        case ast.Param():
            return f"param {item.name.text}"
        case ast.Import():
            return f"import {item.target}"
        case ast.Assert():
            return "assert"


def _inside(node: ast.Expression | ast.Block, place: Span) -> str:
    if isinstance(node, ast.Block):
        entry = next((entry for entry in node.entries if entry.span.touches(place.start)), None)
        if isinstance(entry, ast.Field):
            return f".{entry.name.text}{_inside(entry.value, place)}"
        return ".assert" if entry is not None else ""
    return next((_inside(child, place) for child in children(node) if child.span.touches(place.start)), "")
