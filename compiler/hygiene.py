"""Finds what a spec declares and nothing reads.

A file without stages is there to be imported, so that only its imports are looked at, and not even those where it holds nothing
else. Names are compared, not values: a name that stands anywhere in the file counts as read.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic, Edit, Fix
from trainc.dsl.source import Span
from trainc.dsl.visitor import expressions

from . import hygiene_warnings
from .resolve import Binding, Scope, bound_name

RUN_KINDS = ("stage", "pipeline")


def unused(root: Scope) -> Iterator[Diagnostic]:
    """What the spec's own file declares for nothing; asked only of a spec without errors, which may hide who reads a name."""
    read = {node.name for item in root.module.file.items for node in expressions(item) if isinstance(node, ast.Reference)}
    kinds = {item.kind.text for item in root.bindings.values() if isinstance(item, ast.Declaration)}
    only_imports = all(isinstance(item, ast.Import) for item in root.bindings.values())
    for name, item in root.bindings.items():
        if name in read or (isinstance(item, ast.Import) and only_imports):
            continue
        if isinstance(item, ast.Import) or not kinds.isdisjoint(RUN_KINDS):
            yield from _warning(item, kinds)


def deletion(span: Span) -> Edit:
    """Deletes a span that ends its line; the whole line where nothing else stands on it."""
    source = span.source
    line_start = source.line_starts[span.line - 1]
    before = source.text[line_start : span.start]
    if before.strip():
        return Edit(Span(source, line_start + len(before.rstrip()), span.end), "")
    line_end = source.text.find("\n", span.end)
    return Edit(Span(source, line_start, len(source.text) if line_end < 0 else line_end + 1), "")


def _warning(item: Binding, kinds: set[str]) -> Iterator[Diagnostic]:
    name, span = bound_name(item)
    match item:
        case ast.Import():
            yield hygiene_warnings.unused_import(name, span, _without(item))
        case ast.Let() | ast.Param():
            yield hygiene_warnings.unused_value("let" if isinstance(item, ast.Let) else "param", name, span)
        case ast.Declaration():
            # Without a pipeline every stage runs, and a pipeline is what others are for.
            if item.kind.text not in RUN_KINDS or (item.kind.text == "stage" and "pipeline" in kinds):
                yield hygiene_warnings.unused_record(item.kind.text, name, span)


def _without(item: ast.Import) -> Fix | None:
    """Deletes the import's line, its comment included, where no other item stands on it."""
    source = item.span.source
    start = source.line_starts[item.span.line - 1]
    end = source.text.find("\n", item.span.end)
    line = Span(source, start, len(source.text) if end < 0 else end)
    rest = source.text[item.span.end : line.end].strip()
    alone = not source.text[start : item.span.start].strip() and (not rest or rest.startswith("#"))
    return Fix("delete the import", (deletion(line),)) if alone else None
