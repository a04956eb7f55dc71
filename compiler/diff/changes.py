"""Compares two records field by field: layout, comments, order and the names of records do not count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..effect import Effect
from ..schema import Record, Type
from ..spec import ArchitectureSpec, ClusterSpec, Zero1, Zero2, Zero3


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that means something else; `path` begins at the record that was compared, and `effect` is the schema's."""

    path: str
    type: Type
    old: Any
    new: Any
    effect: Effect
    left_out_by_default: bool = True


def differences(old: Record, new: Record, path: str = "") -> Iterator[Difference]:
    """Every field of two records of one shape that differs, defaults included; a switched variant is one difference."""
    old, new = _settled(old), _settled(new)
    for name, setting in old.settings.items():
        before, after = old.__dict__[name], new.__dict__[name]
        place = f"{path}.{name}" if path else name
        if isinstance(before, Record) and isinstance(after, Record) and type(before) is type(after):
            yield from differences(before, after, place)
        elif before != after:
            assert setting.effect is not None, f"the schema states the effect of {old.title}.{name}"
            effect = Effect.RESTART if _reads_other_checkpoints(before, after) else setting.effect
            yield Difference(place, setting.type, before, after, effect, setting.default is None)


def _reads_other_checkpoints(before: object, after: object) -> bool:
    """Whether a strategy cannot read what another wrote: DeepSpeed's files are for the stage that wrote them."""
    return any(isinstance(side, Zero1 | Zero2 | Zero3) for side in (before, after))


def _settled(record: Record) -> Record:
    """A record with what follows from other fields written out, so that leaving it out and writing it mean the same."""
    match record:
        case ArchitectureSpec():
            width = record.head_dim or record.hidden // record.heads
            return record.replace(kv_heads=record.kv_heads or record.heads, head_dim=width)
        case ClusterSpec():
            return record.replace(intra_node=record.intra_node or record.gpu.link)
    return record
