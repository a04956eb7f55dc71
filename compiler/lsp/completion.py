"""Completion: what fits at the cursor, by the type that is expected there; the line around it may be half written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types
from trainc.dsl import ast
from trainc.dsl.allow_comments import BEGIN

from .. import pages
from ..loader import standard_modules
from ..policy.waivers import suppressible
from ..resolve import bound_name
from ..schema import KINDS
from ..values import FieldScope
from . import offers, snippets
from .hole import HOLE, Filled, Hole, fill, hole_at
from .indexing import owner
from .offers import Kind, Offer
from .paths import importable
from .spot import Spot
from .std_names import import_edit

_ALLOW = re.compile(rf"{BEGIN}\s+(?:TRN\d{{3}}\s*,\s*)*\w*\Z")
_PATH = re.compile(r'[ \t]*import[ \t]+"([^"\n]*)\Z')
_MODULE = re.compile(r"[ \t]*import[ \t]+([A-Za-z0-9_.]*)\Z")
_TYPE = re.compile(r"[ \t]*param[ \t]+\w+[ \t]*:[ \t]*\[?[ \t]*\w*\Z")
_NUMBER = re.compile(r"(?<![\w.])([0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?)[ \t]*([A-Za-z%][A-Za-z/]*)?\Z")
_NAMING = re.compile(r"[ \t]*(?:param|let|" + "|".join(KINDS) + r")[ \t]+\w*\Z")


def complete(spot: Spot, with_snippets: bool) -> types.CompletionList:
    """Everything that fits at a spot; the editor narrows it down as the word grows."""
    text = spot.view.text
    line = text[text.rfind("\n", 0, spot.offset) + 1 : spot.offset]
    if _in_comment(spot) and not _ALLOW.search(line):
        return types.CompletionList(False, [])
    start, end, found = _offers(spot, line)
    place = spot.lines.between(start, end)
    unique = {offer.label: offer for offer in sorted(found, key=lambda offer: -offer.rank)}
    return types.CompletionList(False, [_item(offer, place, with_snippets, spot) for offer in unique.values()])


def _in_comment(spot: Spot) -> bool:
    return any(comment.span.start < spot.offset <= comment.span.end for comment in spot.view.file.comments)


def _offers(spot: Spot, line: str) -> tuple[int, int, Iterable[Offer]]:
    """What fits, and the piece of text that it replaces."""
    hole = hole_at(spot.view.text, spot.offset)
    if _ALLOW.search(line):
        return hole.start, hole.end, _codes()
    if path := _PATH.match(line):
        return spot.offset - len(path[1]), spot.offset, _files(spot, path[1])
    if module := _MODULE.match(line):
        return spot.offset - len(module[1]), spot.offset, [Offer(name, Kind.Module, rank=1) for name in standard_modules()]
    if _TYPE.match(line):
        return hole.start, hole.end, offers.param_types(KINDS)
    if number := _NUMBER.search(line):
        return _units(spot, number)
    return hole.start, hole.end, list(_at_word(spot, hole, line))


def _codes() -> Iterator[Offer]:
    """The findings that a comment can allow."""
    for code in pages.codes():
        page = pages.page(code) if suppressible(code) else None
        if page is not None:
            yield Offer(code, Kind.Event, page.fault, page.why, rank=1)


def _files(spot: Spot, written: str) -> Iterator[Offer]:
    for path in importable(spot.path, spot.view.snapshot.library.folder):
        # Editors match what is typed with the label: a path typed without `./` finds the same files.
        yield Offer(path if written.startswith(".") or not written else path.removeprefix("./"), Kind.File, rank=1)


def _units(spot: Spot, number: re.Match[str]) -> tuple[int, int, Iterable[Offer]]:
    begin = spot.offset - (number.end() - number.start())
    unit = spot.offset - len(number[2] or "")
    filled = fill(spot, begin, spot.offset)
    if filled is None or filled.value is None:
        return unit, spot.offset, []
    return unit, spot.offset, offers.units(filled.value.expected)


def _at_word(spot: Spot, hole: Hole, line: str) -> Iterator[Offer]:
    if _NAMING.fullmatch(line) and not line.strip().isidentifier():
        return
    filled = fill(spot, hole.start, hole.end)
    if filled is None:
        if not hole.before.strip() and spot.view.index.block_at(spot.offset) is None:
            yield from offers.items(KINDS)
    elif filled.block is not None:
        yield from (_unassigned(offer) if hole.assigned else offer for offer in offers.fields(filled.block, HOLE))
    elif filled.member is not None:
        assert isinstance(filled.member.node, ast.Member)
        evaluator = filled.view.snapshot.evaluator
        found = owner(filled.member.node.base, filled.member.scope, evaluator)
        yield from offers.members(found, _offering(filled))
    elif filled.value is not None:
        yield from _offering(filled).values(filled.value)


def _offering(filled: Filled) -> offers.Offering:
    slot = filled.value or filled.member
    scope = slot.scope if slot is not None else filled.view.scope
    outer = scope.outer if isinstance(scope, FieldScope) else scope
    item = filled.item
    leave_out = None if item is None or isinstance(item, ast.Assert) else bound_name(item)[0]
    return offers.Offering(outer, filled.view.snapshot.evaluator, leave_out)


def _unassigned(offer: Offer) -> Offer:
    """A field whose value stands there already: only its name is written."""
    return Offer(offer.label, offer.kind, offer.detail, offer.documentation, None, offer.rank)


def _item(offer: Offer, place: types.Range, with_snippets: bool, spot: Spot) -> types.CompletionItem:
    text = offer.snippet or offer.label
    is_snippet = with_snippets and "$" in text
    documentation = types.MarkupContent(types.MarkupKind.Markdown, offer.documentation) if offer.documentation else None
    return types.CompletionItem(
        label=offer.label,
        kind=offer.kind,
        detail=offer.detail or None,
        documentation=documentation,
        sort_text=f"{offer.rank}{offer.label}",
        text_edit=types.TextEdit(place, text if is_snippet else snippets.plain(text)),
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText,
        additional_text_edits=[_import(offer.module, spot)] if offer.module is not None else None,
    )


def _import(module: str, spot: Spot) -> types.TextEdit:
    offset, text = import_edit(spot.view, module)
    return types.TextEdit(spot.lines.between(offset, offset), text)
