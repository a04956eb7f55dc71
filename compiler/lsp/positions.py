"""Between offsets in a text and the protocol's positions: lines, and code units of the encoding that was agreed on."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types
from trainc.dsl.source import Span

Encoding = types.PositionEncodingKind

# The protocol ends lines at these three and at nothing else; the language itself counts only line feeds.
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Lines:
    """The lines of one text in one encoding."""

    text: str
    encoding: str = Encoding.Utf16

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> types.Position:
        """The position of an offset."""
        line = bisect_right(self.starts, offset) - 1
        return types.Position(line, self._units(self.text[self.starts[line] : offset]))

    def offset(self, position: types.Position) -> int:
        """The offset of a position; one past the end of its line, or of the text, means that end."""
        if position.line >= len(self.starts):
            return len(self.text)
        start = self.starts[position.line]
        end = self.starts[position.line + 1] if position.line + 1 < len(self.starts) else len(self.text)
        line = self.text[start:end].rstrip("\r\n")
        if line.isascii():
            return start + min(position.character, len(line))
        return start + self._characters(line, position.character)

    def range(self, span: Span) -> types.Range:
        """The range of a span of this text."""
        return self.between(span.start, span.end)

    def between(self, start: int, end: int) -> types.Range:
        """The range of two offsets."""
        return types.Range(self.position(start), self.position(end))

    def units(self, start: int, end: int) -> int:
        """The length of a piece of the text in code units."""
        return self._units(self.text[start:end])

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == Encoding.Utf32:
            return len(text)
        return sum(self._width(char) for char in text)

    def _width(self, char: str) -> int:
        if self.encoding == Encoding.Utf8:
            return len(char.encode("utf-8", "surrogatepass"))
        return 2 if self.encoding == Encoding.Utf16 and ord(char) > 0xFFFF else 1

    def _characters(self, line: str, units: int) -> int:
        """How many characters of a line so many units are; half a character counts as before it."""
        for index, char in enumerate(line):
            units -= self._width(char)
            if units < 0:
                return index
        return len(line)
