"""Hover: what the word or number under the pointer means, its value with unit conversions, and where that comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types
from trainc.dsl import ast
from trainc.dsl.allow_comments import is_allow
from trainc.dsl.source import Span

from .. import pages
from ..resolve import Scope, bound_name
from ..units import Quantity
from ..values import RecordValue
from . import wording
from .amounts import spellings
from .hover_values import field_value, place_of, resolved, shown
from .index import Slot
from .spot import Spot
from .targets import FieldTarget, FunctionTarget, MemberTarget, ModuleTarget, NameTarget, ShapeTarget, Target, TypeTarget

_CODE = re.compile(r"TRN\d{3}")


def hover(spot: Spot) -> types.Hover | None:
    """What to show at a spot, if anything."""
    for found in (_code(spot), _word(spot), _number(spot)):
        if found is not None:
            span, text = found
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), spot.range(span))
    return None


def _code(spot: Spot) -> tuple[Span, str] | None:
    for comment in spot.view.file.comments:
        if not comment.span.touches(spot.offset) or not is_allow(comment.text):
            continue
        for code in _CODE.finditer(comment.text):
            span = Span(comment.span.source, comment.span.start + code.start(), comment.span.start + code.end())
            page = pages.page(code[0])
            if span.touches(spot.offset) and page is not None:
                return span, _page_text(page)
    return None


def _page_text(page: pages.Page) -> str:
    parts = (("Example", page.example), ("Instead", page.instead))
    blocks = [f"{title}:\n```{pages.language(part)}\n{part}\n```" for title, part in parts]
    return "\n\n".join([f"**{page.code}** ({page.severity.value}): {page.fault}", f"Why: {page.why}", *blocks])


def _word(spot: Spot) -> tuple[Span, str] | None:
    occurrence = spot.view.index.at(spot.offset)
    if occurrence is None:
        return None
    return occurrence.span, "\n\n".join(part for part in _explained(occurrence.target, spot) if part)


def _explained(target: Target, spot: Spot) -> Iterator[str]:
    match target:
        case NameTarget():
            yield from _name(target, spot)
        case FieldTarget():
            yield wording.field_text(target.name, target.setting)
            yield from field_value(target, spot)
        case MemberTarget():
            yield f"`{target.text}`: one of {', '.join(f'`{member}`' for member in target.choice.members)}"
            if target.of is not None:
                yield f"`{target.of.name}`: {target.of.setting.doc}"
                if target.of.setting.is_later(target.text):
                    yield "*Not built yet.*"
        case ShapeTarget():
            yield wording.shape_text(target.shape)
        case ModuleTarget():
            yield f"```train\nimport {target.module.label}\n```"
            yield ", ".join(f"`{name}`" for name in spot.view.snapshot.scope(target.module).bindings)
        case FunctionTarget():
            signature, text = wording.FUNCTIONS[target.name]
            yield f"```train\n{signature}\n```"
            yield text
        case TypeTarget():
            yield f"```train\n{target.name}\n```"
            yield wording.TYPES[target.name]


# Names


def _name(target: NameTarget, spot: Spot) -> Iterator[str]:
    item = target.binding
    yield f"```train\n{_heading(item)}\n```"
    if not isinstance(item, ast.Import) and item.doc:
        yield item.doc
    value = spot.view.snapshot.evaluator.binding(target.scope, target.name, None)
    if isinstance(value, RecordValue):
        yield wording.doc(value.shape)
        yield resolved(value, spot)
    elif isinstance(value, Scope):
        yield f"module `{value.module.label}`: {', '.join(f'`{name}`' for name in value.bindings)}"
    else:
        yield shown(value)
    _, span = bound_name(item)
    if span.source is not spot.view.file.source:
        yield f"Declared at {place_of(span, spot)}"


def _heading(item: ast.Import | ast.Param | ast.Let | ast.Declaration) -> str:
    if isinstance(item, ast.Declaration):
        head = f"{item.kind.text} {item.name.text}"
        base = item.value.base if isinstance(item.value, ast.Amend) else item.value
        return head if isinstance(base, ast.Block) else f"{head} = {base.span.text}"
    return item.span.text.splitlines()[0].rstrip()


# Numbers


def _number(spot: Spot) -> tuple[Span, str] | None:
    slot = spot.view.index.number_at(spot.offset)
    if slot is None:
        return None
    value = spot.view.snapshot.evaluator.expression(slot.node, slot.scope, slot.expected)
    if not isinstance(value, Quantity):
        return None
    return slot.node.span, "\n\n".join([_amount(slot, value), slot.of.setting.doc if slot.of is not None else ""]).strip()


def _amount(slot: Slot, value: Quantity) -> str:
    written = " ".join(slot.node.span.text.split())
    others = [form for form in spellings(value) if form != written]
    return " = ".join([f"`{written}`", *others])
