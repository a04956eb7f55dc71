"""Symbols: the outline of a document, and the declarations of all files that open specs read."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types
from trainc.dsl import ast

from ..reading import UnreadableError
from ..resolve import bound_name
from .places import Places
from .spot import Spot
from .workspace import Workspace

Kind = types.SymbolKind


def outline(spot: Spot) -> list[types.DocumentSymbol]:
    """The items of a document in order, with the fields of their blocks."""
    return [_item(item, spot) for item in spot.view.file.items if not isinstance(item, ast.Assert)]


def workspace_symbols(workspace: Workspace, query: str) -> list[types.WorkspaceSymbol]:
    """The declarations whose names hold the letters of the query in order."""
    found: dict[tuple[str, int], types.WorkspaceSymbol] = {}
    for root in dict.fromkeys(root for path in workspace.buffers.open for root in workspace.roots(path)):
        try:
            snapshot = workspace.snapshot(root)
        except UnreadableError:
            continue
        places = Places(snapshot, workspace)
        for module in snapshot.modules.values():
            for item in module.file.items if not module.is_standard else ():
                if isinstance(item, ast.Assert | ast.Import) or not _matches(item.name.text, query):
                    continue
                location = places.location(item.name.span)
                if location is not None:
                    symbol = types.WorkspaceSymbol(location, item.name.text, _kind(item), container_name=module.label)
                    found[(location.uri, item.span.start)] = symbol
    return [found[key] for key in sorted(found)]


def _item(item: ast.Import | ast.Param | ast.Let | ast.Declaration, spot: Spot) -> types.DocumentSymbol:
    name, span = bound_name(item)
    return types.DocumentSymbol(
        name=name,
        detail=_detail(item),
        kind=_kind(item),
        range=spot.range(item.span),
        selection_range=spot.range(span),
        children=list(_fields(item.value, spot)) if isinstance(item, ast.Declaration) else None,
    )


def _fields(value: ast.Expression | ast.Block, spot: Spot) -> Iterator[types.DocumentSymbol]:
    block = value.block if isinstance(value, ast.Amend) else value
    for entry in block.entries if isinstance(block, ast.Block) else ():
        if isinstance(entry, ast.Field):
            yield types.DocumentSymbol(
                name=entry.name.text,
                kind=Kind.Field,
                range=spot.range(entry.span),
                selection_range=spot.range(entry.name.span),
                children=list(_fields(entry.value, spot)) or None,
            )


def _detail(item: ast.Import | ast.Param | ast.Let | ast.Declaration) -> str:
    match item:
        case ast.Import():
            return f"import {item.target}"
        case ast.Param():
            return f"param: [{item.type.text}]" if item.is_list else f"param: {item.type.text}"
        case ast.Let():
            return "let"
        case ast.Declaration():
            return item.kind.text


def _kind(item: ast.Import | ast.Param | ast.Let | ast.Declaration) -> types.SymbolKind:
    match item:
        case ast.Import():
            return Kind.Module
        case ast.Param():
            return Kind.Variable
        case ast.Let():
            return Kind.Constant
        case ast.Declaration():
            return Kind.Struct


def _matches(name: str, query: str) -> bool:
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower())
