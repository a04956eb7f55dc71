"""What every word of one module means, by place: names, fields, variants, enum members, blocks, numbers."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from trainc.dsl import ast

from ..resolve import Scope
from ..schema import Record, Type
from ..values import RecordValue
from .targets import FieldTarget, Occurrence


@dataclass(frozen=True, slots=True)
class BlockAt:
    """A block, the record that it makes, and the one it amends."""

    node: ast.Block
    scope: Scope
    shape: type[Record] | None
    record: RecordValue | None
    base: RecordValue | None


@dataclass(frozen=True, slots=True)
class Slot:
    """An expression, the type it is expected to have, and the field that it is the value of."""

    node: ast.Expression
    scope: Scope
    expected: Type | None
    of: FieldTarget | None


@dataclass(frozen=True)
class Index:
    """The meaning of a module's words, by place."""

    occurrences: tuple[Occurrence, ...]
    blocks: tuple[BlockAt, ...]
    slots: tuple[Slot, ...]

    @cached_property
    def _starts(self) -> list[int]:
        return [occurrence.span.start for occurrence in self.occurrences]

    def at(self, offset: int) -> Occurrence | None:
        """The word under a place, or the one that ends there."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return None
        found = self.occurrences[index]
        if found.span.start == offset and index > 0 and self.occurrences[index - 1].span.end == offset == found.span.end:
            return self.occurrences[index - 1]
        return found if offset <= found.span.end else None

    def block_at(self, offset: int) -> BlockAt | None:
        """The innermost block around a place."""
        around = [block for block in self.blocks if block.node.span.start < offset < block.node.span.end]
        return max(around, key=lambda block: block.node.span.start, default=None)

    def number_at(self, offset: int) -> Slot | None:
        """The number under a place."""
        numbers = (slot for slot in self.slots if isinstance(slot.node, ast.Number))
        return next((slot for slot in numbers if slot.node.span.touches(offset)), None)
