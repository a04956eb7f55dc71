"""Says what a comparison found: a table for people, plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..effect import Effect
from .compare import Change, Comparison, FigureChange, Shown
from .figures import names, shown

FORMAT_VERSION = 1
NOT_WRITTEN = "not written"


def text(comparison: Comparison) -> str:
    """The changes by effect, gravest first, then what the plans say, then what it comes to."""
    if comparison.same:
        return f"{comparison.old} and {comparison.new} mean the same"
    parts = [_group(effect, comparison.changes) for effect in reversed(Effect)]
    figures = ["\n".join(["plans", *(line for change in comparison.figures for line in _figures(change))])]
    parts += figures if comparison.figures else []
    return "\n\n".join([*filter(None, parts), _verdict(comparison)])


def json_value(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain values."""
    return {
        "format_version": FORMAT_VERSION,
        "old": comparison.old,
        "new": comparison.new,
        "same": comparison.same,
        "effect": comparison.effect.value,
        "changes": [_change_value(change) for change in comparison.changes],
        "plans": [_figures_value(change) for change in comparison.figures],
    }


def _group(effect: Effect, changes: tuple[Change, ...]) -> str:
    rows = [(change.path, _move(change), _places(change)) for change in changes if change.effect is effect]
    if not rows:
        return ""
    width = max(len(path) for path, _, _ in rows)
    lines = [f"  {path:<{width}}  {move}\n  {'':<{width}}  {places}" for path, move, places in rows]
    return "\n".join([f"{effect.value}: {effect.meaning}", *lines])


def _move(change: Change) -> str:
    if change.sort == "changed":
        return f"{_text(change.old)} -> {_text(change.new)}"
    if change.sort == "renamed":
        return f"is now called {_text(change.new)}"
    return f"{change.sort}: {_text(change.new or change.old)}"


def _text(side: Shown | None) -> str:
    return side.text if side is not None else "left out"


def _places(change: Change) -> str:
    known = [side.place or NOT_WRITTEN for side in (change.old, change.new) if side is not None]
    return " -> ".join(known)


def _figures(change: FigureChange) -> Iterator[str]:
    if change.old is None or change.new is None:
        figures = change.old or change.new
        listed = ", ".join(f"{_title(name)} {shown(name, getattr(figures, name))}" for name in names())
        yield f"  {change.stage}, {'added' if change.old is None else 'removed'}: {listed}"
        return
    for name in names():
        old, new = getattr(change.old, name), getattr(change.new, name)
        if old != new:
            yield f"  {change.stage}: {_title(name)} {shown(name, old)} -> {shown(name, new)}{_ratio(old, new)}"


def _title(name: str) -> str:
    return {"tokens_per_step": "tokens a step", "peak_memory_bytes": "peak memory a rank"}.get(name, name)


def _ratio(old: int | None, new: int | None) -> str:
    if old is None or new is None:
        return ""
    return f" ({(new - old) / old:+.1%})" if old else f" (+{new})"


def _verdict(comparison: Comparison) -> str:
    counts = [(effect, sum(change.effect is effect for change in comparison.changes)) for effect in reversed(Effect)]
    listed = ", ".join(f"{count} {effect.value}" for effect, count in counts if count) or "only the plans differ"
    return f"{listed}; in all: {comparison.effect.value}, {comparison.effect.meaning}"


def _change_value(change: Change) -> dict[str, Any]:
    return {
        "path": change.path,
        "change": change.sort,
        "effect": change.effect.value,
        "old": asdict(change.old) if change.old else None,
        "new": asdict(change.new) if change.new else None,
    }


def _figures_value(change: FigureChange) -> dict[str, Any]:
    return {
        "stage": change.stage,
        "old": asdict(change.old) if change.old else None,
        "new": asdict(change.new) if change.new else None,
    }
