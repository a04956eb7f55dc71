"""Completing half a line: a stand-in at the cursor gives the parser a whole entry, and its place tells what fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trainc.dsl import ast
from trainc.dsl.visitor import item_at

from .index import BlockAt, Slot
from .snapshot import View
from .spot import Spot

# No name of a user's looks like this.
HOLE = "trainc__hole__"

_WORD_BEFORE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORD_AFTER = re.compile(r"[A-Za-z0-9_]*")
_ASSIGNED = re.compile(r"[ \t]*[={]")


@dataclass(frozen=True)
class Hole:
    """The word under the cursor: what stands before it on its line, and whether its value follows already."""

    start: int
    end: int
    before: str
    assigned: bool


@dataclass(frozen=True)
class Filled:
    """A document with the stand-in in place, and where it was found: exactly one of the last three."""

    view: View
    value: Slot | None = None
    member: Slot | None = None
    block: BlockAt | None = None

    @property
    def item(self) -> ast.Item | None:
        """The top-level item around the stand-in."""
        return item_at(self.view.file, self.view.text.index(HOLE))


def hole_at(text: str, offset: int) -> Hole:
    """The hole at a place."""
    word = _WORD_BEFORE.search(text, text.rfind("\n", 0, offset) + 1, offset)
    start = word.start() if word else offset
    after = _WORD_AFTER.match(text, offset)
    end = after.end() if after else offset
    return Hole(start, end, text[text.rfind("\n", 0, start) + 1 : start], _ASSIGNED.match(text, end) is not None)


def fill(spot: Spot, start: int, end: int) -> Filled | None:
    """The document with the stand-in between two offsets; None where nothing fits there."""
    text = spot.view.text
    for stand_in in (HOLE, f"{HOLE} = 0"):
        view = spot.workspace.view_with(spot.path, {spot.path: f"{text[:start]}{stand_in}{text[end:]}"}, spot.view.snapshot.root)
        found = next(_found(view), None) if view is not None else None
        if found is not None:
            return found
    return None


def _found(view: View) -> Iterator[Filled]:
    for slot in view.index.slots:
        match slot.node:
            case ast.Reference(name) if name == HOLE:
                yield Filled(view, value=slot)
            case ast.Member(_, name) if name.text == HOLE:
                yield Filled(view, member=slot)
    for block in view.index.blocks:
        if any(isinstance(entry, ast.Field) and entry.name.text == HOLE for entry in block.node.entries):
            yield Filled(view, block=block)
