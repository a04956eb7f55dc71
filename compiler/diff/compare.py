"""Compares two sides: what changed, from what to what, where both are written, and what it does to a run that has begun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..effect import Effect, worst
from ..show import inline, plain
from ..spec import StageSpec
from .changes import Difference, differences
from .figures import EFFECTS, Figures, names
from .pairing import Pair, pairs, renamed
from .sides import Side


@dataclass(frozen=True, slots=True)
class Shown:
    """One side of a change: as a user writes it, as a plain value, and where; `place` is None for a default."""

    text: str
    value: Any
    place: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """A difference in meaning; `sort` is changed, added, removed or renamed."""

    path: str
    sort: str
    old: Shown | None
    new: Shown | None
    effect: Effect


@dataclass(frozen=True, slots=True)
class FigureChange:
    """What the plans of one stage say; a side without the stage has None."""

    stage: str
    old: Figures | None
    new: Figures | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that two sides do not share; empty where they mean the same."""

    old: str
    new: str
    changes: tuple[Change, ...]
    figures: tuple[FigureChange, ...]

    @property
    def same(self) -> bool:
        """Whether both mean the same."""
        return not self.changes and not self.figures

    @property
    def effect(self) -> Effect:
        """The gravest effect of all changes."""
        moved = [name for change in self.figures if change.old and change.new for name in _moved(change.old, change.new)]
        # Fields explain the figures of plans that one compiler made; alone, figures speak for themselves.
        unexplained = [] if self.changes else [EFFECTS[name] for name in moved]
        return worst([*(change.effect for change in self.changes), *unexplained])


def compare(old: Side, new: Side) -> Comparison:
    """What changed between two sides."""
    found = pairs(old.records, new.records)
    moved = {pair.old: pair.new for pair in found if pair.old and pair.new and pair.old != pair.new}
    changes = [change for pair in found for change in _record_changes(old, new, pair, moved)]
    return Comparison(old.title, new.title, (*_pipeline(old, new, found), *changes), tuple(_figures(old, new, found)))


def _moved(old: Figures, new: Figures) -> list[str]:
    return [name for name in names() if getattr(old, name) != getattr(new, name)]


def _record_changes(old: Side, new: Side, pair: Pair, moved: dict[str, str]) -> Iterator[Change]:
    if pair.old is None or pair.new is None:
        before = _whole(old, pair.old) if pair.old else None
        after = _whole(new, pair.new) if pair.new else None
        # Other stages go on; what declares no stage is only read by others.
        effect = Effect.RESUME_SAFE if _is_stage(old, pair.old) or _is_stage(new, pair.new) else Effect.NONE
        yield Change(pair.old or pair.new or "", "added" if before is None else "removed", before, after, effect)
        return
    if pair.old != pair.new:
        yield Change(pair.old, "renamed", _whole(old, pair.old), _whole(new, pair.new), Effect.RESUME_SAFE)
    for found in differences(renamed(old.records[pair.old], moved), new.records[pair.new]):
        yield _field_change(old, new, pair.old, pair.new, found)


def _field_change(old: Side, new: Side, before: str, after: str, found: Difference) -> Change:
    was = _value(old, f"{before}.{found.path}", found, found.old)
    now = _value(new, f"{after}.{found.path}", found, found.new)
    sort = "added" if was is None else "removed" if now is None else "changed"
    return Change(f"{after}.{found.path}", sort, was, now, found.effect)


def _value(side: Side, path: str, found: Difference, value: Any) -> Shown | None:
    place = side.origins.place(path)
    if value is None:
        # Where leaving a field out is not the default, it is a value like others.
        return None if found.left_out_by_default else Shown("none", None, place)
    return Shown(inline(value, found.type), plain(value), place)


def _whole(side: Side, name: str) -> Shown:
    record = side.records[name]
    return Shown(name, plain(record), side.origins.place(name))


def _is_stage(side: Side, name: str | None) -> bool:
    return name is not None and isinstance(side.records.get(name), StageSpec)


def _pipeline(old: Side, new: Side, found: tuple[Pair, ...]) -> Iterator[Change]:
    """The pipeline's name, where both sides declare one, and the order of the stages that both have."""
    if old.pipeline and new.pipeline and old.pipeline != new.pipeline:
        before, after = (Shown(side.pipeline or "", side.pipeline, side.origins.place(side.pipeline or "")) for side in (old, new))
        yield Change("pipeline", "renamed", before, after, Effect.RESUME_SAFE)
    shared = [pair for pair in found if pair.old and pair.new and _is_stage(old, pair.old)]
    ordered = sorted(shared, key=lambda pair: list(new.records).index(pair.new or ""))
    if ordered != shared:
        before, after = _order([pair.new or "" for pair in shared]), _order([pair.new or "" for pair in ordered])
        yield Change("pipeline.stages", "changed", before, after, Effect.RESUME_SAFE)


def _order(stages: list[str]) -> Shown:
    return Shown(f"[{', '.join(stages)}]", stages, None)


def _figures(old: Side, new: Side, found: tuple[Pair, ...]) -> Iterator[FigureChange]:
    for pair in found:
        before = old.figures.get(pair.old) if pair.old else None
        after = new.figures.get(pair.new) if pair.new else None
        if before != after:
            yield FigureChange(pair.new or pair.old or "", before, after)
