"""The place of a syntax fault: a token that does not fit, its neighbours, and what would fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .source import Source, Span
from .tokens import Token


@dataclass(frozen=True, slots=True)
class Place:
    """A token that does not fit: `first` is the first token of its entry or item."""

    source: Source
    tokens: list[Token]
    index: int
    first: int
    in_block: bool
    accepts: Callable[[str], bool]

    def kind(self, offset: int = 0) -> str:
        """The kind of a neighbour; none lies before the entry."""
        index = self.index + offset
        if index < self.first or index >= len(self.tokens):
            return "NONE"
        return self.tokens[index][0]

    def span(self, offset: int = 0) -> Span:
        """The span of a neighbour; an end of line is the one place after the last token."""
        kind, start, end = self.tokens[self.index + offset]
        if kind in ("NEWLINE", "BREAK", "END") and self.index + offset > 0:
            last = self.tokens[self.index + offset - 1][2]
            return Span(self.source, last, max(last, min(last + 1, end)))
        return Span(self.source, start, end)

    def text(self, offset: int = 0) -> str:
        """The text of a neighbour."""
        _, start, end = self.tokens[self.index + offset]
        return self.source.text[start:end]
