"""The reference of kinds and variants, made from the schema: every field with its type, default and meaning."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from .schema import REQUIRED, ListOf, Record, RecordOf, Scalar, Setting, Type
from .spec import KINDS
from .spec.figures import PlanFigures
from .values import lift, show


def shapes() -> dict[str, type[Record]]:
    """Every kind, part and variant of the language by its name, in the order in which the schema declares them.

    Where two families have a variant of one name, the second is `NAME of FAMILY`.
    """
    found: dict[str, type[Record]] = {}
    for kind in KINDS.values():
        for shape in _reachable(kind):
            name = shape.variant or shape.title
            found.setdefault(name if found.get(name, shape) is shape else f"{name} of {_family(shape)}", shape)
    return found


def figures() -> dict[str, type[Record]]:
    """What a plan says of a stage, by name: nobody writes it, assertions read it."""
    return {shape.title: shape for shape in _reachable(PlanFigures)}


def everything() -> dict[str, type[Record]]:
    """All that has fields, by name: what specs write, and what assertions read besides."""
    return {**shapes(), **figures()}


def markdown() -> str:
    """The whole reference as a page."""
    written = (part for name, shape in shapes().items() for part in _section(name, shape))
    return "\n".join((*written, *(part for name, shape in figures().items() for part in _figures(name, shape))))


def text(name: str) -> str:
    """The reference of one kind, part or variant, for a terminal."""
    shape = everything()[name]
    lines = [f"{name}: {_doc(shape)}", ""]
    given = name in shapes()
    fields = shape.settings.items()
    rows = [(field, entry.type.word, default(entry) if given else "", entry.doc + _note(entry)) for field, entry in fields]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    lines += ["  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows]
    if shape.variants and not shape.variant:
        lines += [f"  one of {', '.join(shape.variants)}"]
    return "\n".join(lines)


def _section(name: str, shape: type[Record]) -> Iterator[str]:
    sort = "kind" if shape.kind else f"variant of {_family(shape)}" if shape.variant else "part"
    if shape.variants and not shape.variant:
        sort = "family: " + ", ".join(f"`{variant}`" for variant in shape.variants)
    yield f"## {name}\n\n*{sort}*. {_doc(shape)}{' Not built yet.' if shape.later else ''}\n"
    if shape.settings and not (shape.variants and not shape.variant):
        yield "| field | type | default | meaning | changed |\n|---|---|---|---|---|"
        for field, entry in shape.settings.items():
            kind = entry.type.word.replace("|", "\\|")
            yield f"| `{field}` | {kind} | {default(entry)} | {entry.doc}{_note(entry)} | {_effect(entry)} |"
        yield ""


def _figures(name: str, shape: type[Record]) -> Iterator[str]:
    yield f"## {name}\n\n*figures*, read by assertions. {_doc(shape)}\n"
    yield "| figure | type | meaning |\n|---|---|---|"
    for field, entry in shape.settings.items():
        yield f"| `{field}` | {entry.type.word} | {entry.doc}{_note(entry)} |"
    yield ""


def _family(variant: type[Record]) -> str:
    return next(base.title for base in variant.__bases__ if issubclass(base, Record))


def _doc(shape: type[Record]) -> str:
    return inspect.cleandoc(shape.__doc__ or "")


def default(entry: Setting) -> str:
    """A field's default in the user's words; `required` and `left out` stand for none."""
    if entry.default is REQUIRED:
        return "required"
    if entry.default is None:
        return "left out"
    if isinstance(entry.type, ListOf):
        return f"[{', '.join(show(lift(item, entry.type.item)) for item in entry.default)}]"
    return show(lift(entry.default, entry.type))


def _note(entry: Setting) -> str:
    if isinstance(entry.type, Scalar) and entry.type.auto:
        return " (not built yet; nor is `auto`)" if entry.later else " (`auto`: not built yet)"
    if isinstance(entry.later, tuple):
        return f" ({', '.join(entry.later)}: not built yet)"
    return " (not built yet)" if entry.later else ""


def _effect(entry: Setting) -> str:
    return entry.effect.value if entry.effect is not None else ""


def _reachable(shape: type[Record]) -> Iterator[type[Record]]:
    yield shape
    if not shape.variant:
        for variant in shape.variants.values():
            yield from _reachable(variant)
    for entry in shape.settings.values():
        inner = _record_of(entry.type)
        if inner is not None and not inner.kind:
            yield from _reachable(inner)


def _record_of(wanted: Type) -> type[Record] | None:
    if isinstance(wanted, ListOf):
        return _record_of(wanted.item)
    return wanted.shape if isinstance(wanted, RecordOf) else None
