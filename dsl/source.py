"""Source texts, and places in them.

A span is a source and two offsets; lines and columns appear only at rendering.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, eq=False)
class Source:
    """A text and the name it is known by; `name` is a path relative to where the user stands, or `std.a.b`.

    `is_file` is false for what is no file of the user's: the standard library, and what `--set` says.
    """

    name: str
    text: str = field(repr=False)
    is_file: bool = True

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which each line begins; the first is 0."""
        return (0, *(offset + 1 for offset, char in enumerate(self.text) if char == "\n"))

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds `offset`."""
        return bisect_right(self.line_starts, offset)

    def column_of(self, offset: int) -> int:
        """The 1-based column of `offset`, in characters."""
        return offset - self.line_starts[self.line_of(offset) - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a 1-based line, without its end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` up to, and without, `end` of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The 1-based line on which the span starts."""
        return self.source.line_of(self.start)

    @property
    def column(self) -> int:
        """The 1-based column at which the span starts."""
        return self.source.column_of(self.start)

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.source, self.start, other.end)

    def touches(self, offset: int) -> bool:
        """Whether an offset of the source lies in the span or at its end."""
        return self.start <= offset <= self.end

    def meets(self, other: Span) -> bool:
        """Whether two spans of one source share a character or an end."""
        return self.source.name == other.source.name and self.start <= other.end and other.start <= self.end

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}"
