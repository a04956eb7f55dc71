"""Finds which record of a new spec is which of an old one: by name, and a stage under another name by what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..schema import Record
from ..spec import StageOutput, StageSpec
from .changes import differences


@dataclass(frozen=True, slots=True)
class Pair:
    """The names of one record in both specs; None where a spec has no such record."""

    old: str | None
    new: str | None


def pairs(old: Mapping[str, Record], new: Mapping[str, Record]) -> tuple[Pair, ...]:
    """Every record of both specs once: those of the old spec in its order, then those that only the new one has."""
    renames = _renames(old, new)
    found = [Pair(name, renames.get(name, name if _kept(name, old, new) else None)) for name in old]
    taken = {pair.new for pair in found}
    return (*found, *(Pair(None, name) for name in new if name not in taken))


def renamed(record: Record, names: Mapping[str, str]) -> Record:
    """A stage of the old spec as it reads with the new names of the stages that it needs."""
    if not isinstance(record, StageSpec) or not isinstance(record.model.source, StageOutput):
        return record
    source = record.model.source
    moved = source.replace(stage=names.get(source.stage, source.stage))
    return record.replace(model=record.model.replace(source=moved))


def _kept(name: str, old: Mapping[str, Record], new: Mapping[str, Record]) -> bool:
    return name in new and type(old[name]) is type(new[name])


def _renames(old: Mapping[str, Record], new: Mapping[str, Record]) -> dict[str, str]:
    """Old names of stages whose new ones are other, where the stage itself says the same."""
    names: dict[str, str] = {}
    for name, record in old.items():
        if name not in new and isinstance(record, StageSpec):
            same = next(
                _same(renamed(record, names), {key: new[key] for key in new.keys() - old.keys() - set(names.values())}), None
            )
            if same is not None:
                names[name] = same
    return names


def _same(record: Record, candidates: Mapping[str, Record]) -> Iterator[str]:
    for name in sorted(candidates):
        if type(candidates[name]) is type(record) and next(differences(record, candidates[name]), None) is None:
            yield name
