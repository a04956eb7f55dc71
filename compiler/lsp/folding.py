"""Folding: blocks and lists of several lines, runs of imports, runs of comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types
from trainc.dsl import ast
from trainc.dsl.source import Span
from trainc.dsl.visitor import values, walk

from .positions import Lines
from .spot import Spot


def folding_ranges(spot: Spot) -> list[types.FoldingRange]:
    """What can be folded in a document, by its first line."""
    file, lines = spot.view.file, spot.lines
    imports = [item.span for item in file.items if isinstance(item, ast.Import)]
    ranges = [
        *(_range(span, lines, None) for span in _bracketed(file)),
        *(_range(run, lines, types.FoldingRangeKind.Imports) for run in _runs(imports, lines)),
        *(_range(run, lines, types.FoldingRangeKind.Comment) for run in _runs(_own_lines(file), lines)),
    ]
    return sorted((one for one in ranges if one.end_line > one.start_line), key=lambda one: (one.start_line, -one.end_line))


def _range(span: Span, lines: Lines, kind: types.FoldingRangeKind | None) -> types.FoldingRange:
    last = lines.position(span.end).line
    # The line of a closing bracket stays in sight.
    return types.FoldingRange(lines.position(span.start).line, last - 1 if kind is None else last, kind=kind)


def _bracketed(file: ast.File) -> Iterator[Span]:
    for item in file.items:
        for value in values(item):
            yield from _brackets_in(value)


def _brackets_in(node: ast.Expression | ast.Block) -> Iterator[Span]:
    if isinstance(node, ast.Block):
        yield node.span
        for entry in node.entries:
            yield from _brackets_in(entry.condition if isinstance(entry, ast.Assert) else entry.value)
        return
    for part in walk(node):
        match part:
            case ast.ListLiteral():
                yield part.span
            case ast.Amend():
                # The walk goes on to the expressions inside, not to the blocks of nested fields.
                yield from _blocks_of(part.block)


def _blocks_of(block: ast.Block) -> Iterator[Span]:
    yield block.span
    for entry in block.entries:
        if isinstance(entry, ast.Field) and isinstance(entry.value, ast.Block):
            yield from _blocks_of(entry.value)


def _own_lines(file: ast.File) -> list[Span]:
    """The comments that stand on lines of their own."""
    text = file.source.text
    return [
        comment.span
        for comment in file.comments
        if not text[text.rfind("\n", 0, comment.span.start) + 1 : comment.span.start].strip()
    ]


def _runs(spans: Iterable[Span], lines: Lines) -> Iterator[Span]:
    """Spans of one line each that follow each other without a line between."""
    run: Span | None = None
    for span in spans:
        follows = run is not None and lines.position(span.start).line == lines.position(run.end).line + 1
        if run is not None and not follows:
            yield run
        run = run.to(span) if run is not None and follows else span
    if run is not None:
        yield run
