"""A file as its printer sees it: groups of entries, with every comment at the place that it stands at.

Words are already spelled and spaced; what is left open is where lines end.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from .allow_comments import is_allow


class Shape(Enum):
    """How a group may be broken into lines."""

    FILE = auto()
    # One entry a line where it does not fit.
    BLOCK = auto()
    # The same, with a comma after each: lists, and arguments of functions.
    LIST = auto()
    # Broken only where the author broke it: parentheses, indices, the brackets of a list's type.
    PAREN = auto()


# A part that is the author's line break between two operands.
BREAK = "\n"


class Note(NamedTuple):
    """A comment on a line of its own, and whether a blank line stands before it."""

    text: str
    blank: bool


class Remark(NamedTuple):
    """A comment amid an expression."""

    text: str
    own_line: bool


@dataclass(frozen=True, slots=True)
class Group:
    """What stands between two brackets, or in the whole file.

    `opening` is the comment after the opening bracket, `notes` are those before the closing one; `flat` is the group
    on one line, None where it takes several; `reach` is where in `flat` the last group ends that may be broken.
    """

    shape: Shape
    brackets: str
    entries: tuple[Entry, ...]
    opening: str
    notes: tuple[Note, ...]
    broken: bool
    flat: str | None
    reach: int


Part = str | Group | Remark


@dataclass(frozen=True, slots=True)
class Entry:
    """An item, a field, an element or an argument, without what separates it from the next.

    `notes` stand above it and `trailing` ends its last line; `blank` says whether a blank line stands before it, below
    the notes. `mark` is where in `flat` its `=` or `{` stands, -1 for none; entries of one `family` are aligned. `joins`
    says that it stood on the line of the entry before it.
    """

    parts: tuple[Part, ...]
    flat: str | None
    reach: int
    notes: tuple[Note, ...]
    blank: bool
    trailing: str
    mark: int
    family: str
    joins: bool

    @property
    def is_pinned(self) -> bool:
        """Whether its line is kept whole, because a comment suppresses findings there."""
        return is_allow(self.trailing) or any(is_allow(note.text) for note in self.notes)

    @property
    def is_apart(self) -> bool:
        """Whether a blank line or a comment parts it from the entry before it."""
        return self.blank or bool(self.notes)
