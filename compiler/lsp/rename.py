"""Rename: a name that the user declared, everywhere it is used, if nothing comes to mean something else by it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from trainc.dsl import ast
from trainc.dsl.lexer import WORDS
from trainc.dsl.source import Span

from ..resolve import bound_name
from .references import uses
from .snapshot import Snapshot, View, is_standard
from .spot import Spot
from .targets import FieldTarget, MemberTarget, ModuleTarget, NameTarget, Occurrence, ShapeTarget, Target

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Words that open an item can be names too; those of expressions cannot.
_RESERVED = set(WORDS) - {"import", "param", "let", "assert", "as"}

# An edit of one file: where, and what for.
_Edits = dict[Path, dict[tuple[int, int], str]]


class RefusedError(JsonRpcException):
    """A rename that is not made, and why."""

    CODE = types.LSPErrorCodes.RequestFailed


def prepare(spot: Spot) -> types.PrepareRenamePlaceholder:
    """The word that would be renamed; raises RefusedError."""
    occurrence, target = _named(spot.view, spot.offset)
    return types.PrepareRenamePlaceholder(spot.range(occurrence.span), target.name)


def rename(spot: Spot, name: str) -> types.WorkspaceEdit:
    """The edits that rename the word at a spot; raises RefusedError."""
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise RefusedError(f"`{name}` cannot be a name")
    edits: _Edits = {}
    views = spot.workspace.views(spot.path)
    for view in views:
        _, target = _named(view, spot.offset)
        if name == target.name:
            return types.WorkspaceEdit(changes={})
        if name in target.scope.bindings:
            raise RefusedError(f"`{name}` is declared already, at line {bound_name(target.scope.bindings[name])[1].line}")
        for path, span, text in _changes(view.snapshot, target, name):
            edits.setdefault(path, {})[(span.start, span.end)] = text
    for view in views:
        _keep_meaning(spot, view, edits, name)
    return types.WorkspaceEdit(changes={spot.workspace.uri(path): _shown(spot, path, file) for path, file in edits.items()})


def _named(view: View, offset: int) -> tuple[Occurrence, NameTarget]:
    occurrence = view.index.at(offset)
    match occurrence:
        case None:
            raise RefusedError("no name stands here")
        case Occurrence(_, NameTarget() as target):
            if target.scope.module.is_standard or is_standard(target.scope.module.path.resolve()):
                raise RefusedError(f"`{target.name}` belongs to the standard library")
            return occurrence, target
    raise RefusedError(f"`{occurrence.span.text}` is {_sort(occurrence.target)}, not a name of yours")


def _sort(target: Target) -> str:
    match target:
        case FieldTarget():
            return "a field"
        case ShapeTarget(shape):
            return "a kind" if shape.kind else "a variant"
        case MemberTarget():
            return "a word that its field takes"
        case ModuleTarget():
            return "a module"
    return "a word of the language"


def _changes(snapshot: Snapshot, target: NameTarget, name: str) -> Iterator[tuple[Path, Span, str]]:
    for use in uses(snapshot, target):
        yield use.path, use.occurrence.span, name
    item = target.binding
    if isinstance(item, ast.Import) and item.alias is None:
        path = target.scope.module.path.resolve()
        yield path, Span(item.span.source, item.target_span.end, item.target_span.end), f" as {name}"


def _keep_meaning(spot: Spot, view: View, edits: _Edits, name: str) -> None:
    """Refuses where a word would mean something else: an enum's word or a field wins over a name that is spelt like it."""
    texts = {
        path: _applied(view.snapshot.modules[path].file.source.text, file)
        for path, file in edits.items()
        if path in view.snapshot.modules
    }
    after = spot.workspace.view_with(spot.path, texts, view.snapshot.root)
    if after is None:
        raise RefusedError("the file cannot be read")
    for path, module in view.snapshot.modules.items():
        if module.is_standard:
            continue
        before = _meanings(view.snapshot, path)
        renamed = _meanings(after.snapshot, path)
        _, target = _named(view, spot.offset)
        wanted = [
            (label, name) if (label, word) == (target.scope.module.label, target.name) else (label, word) for label, word in before
        ]
        if wanted != renamed:
            raise RefusedError(f"`{name}` would mean something else in {module.label}")


def _meanings(snapshot: Snapshot, path: Path) -> list[tuple[str, str]]:
    """What each word of a file means, without the aliases of imports: a rename may add one."""
    found = []
    for occurrence in snapshot.index(snapshot.modules[path]).occurrences:
        match occurrence.target:
            case NameTarget(scope, name):
                if not (occurrence.declares and isinstance(scope.bindings[name], ast.Import)):
                    found.append((scope.module.label, name))
            case ModuleTarget(module):
                found.append((module.label, ""))
            case other:
                found.append(("", f"{type(other).__name__} {occurrence.span.text}"))
    return found


def _applied(text: str, edits: Mapping[tuple[int, int], str]) -> str:
    for (start, end), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _shown(spot: Spot, path: Path, edits: Mapping[tuple[int, int], str]) -> list[types.TextEdit]:
    text = spot.workspace.buffers.read(path)
    assert isinstance(text, str), "it was read a moment ago"
    lines = spot.workspace.lines(text)
    return [types.TextEdit(lines.between(start, end), new) for (start, end), new in sorted(edits.items())]
