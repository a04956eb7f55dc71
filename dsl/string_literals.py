"""Reads string literals: escapes, interpolations, and the indentation of strings of several lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from . import syntax_errors
from .diagnostics import Diagnostic
from .source import Source, Span

Hole = TypeVar("Hole")

ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}

_PLAIN = re.compile(r'[^"\\$\n]+')
_PLAIN_LINES = re.compile(r'[^"\\$]+')
_CODE_POINT = re.compile(r"u\{([0-9A-Fa-f]{1,6})\}")
_BAD_ESCAPE = re.compile(r'u\{[^}"\n]*\}?|[^\n]?')
# A line that begins at column 1 as an item does; `else x {`, or `let then` with a name `let`, go on with an expression in brackets.
_NO_NAME = r"(?!(?:if|then|else|and|or|not|in|true|false)\b)"
TOP_ITEM = re.compile(
    rf"^(?:assert[ \t]+[\w\"]|(?:import|param|let)[ \t]+{_NO_NAME}[\w\"]"
    rf"|{_NO_NAME}[A-Za-z_]\w*[ \t]+[A-Za-z_]\w*[ \t]*(?:\{{|=(?!=)))",
    re.MULTILINE,
)
# The rest of a text that was broken over lines: none of them looks like an entry, and its quote ends one.
_TORN = re.compile(r"""(?P<string>(?:\n(?![ \t]*(?:[A-Za-z_]\w*[ \t]*[={:(]|[\]})#]))[^"\n]*){1,40}")[ \t\r]*(?:[,}\])\#\n]|\Z)""")
_CLOSING_INDENT = re.compile(r"\n([ \t]*)\Z")


@dataclass(frozen=True, slots=True)
class Scanned(Generic[Hole]):
    """A string's parts and the offset after it; no parts where it is at fault, reported unless `unclosed`."""

    parts: tuple[str | Hole, ...] | None
    end: int
    unclosed: bool = False


@dataclass(slots=True)
class StringScanner(Generic[Hole]):
    """Scans one literal; `scan_hole` reads an interpolation from after its `${` and gives None where it failed."""

    source: Source
    scan_hole: Callable[[int, bool], tuple[Hole, int] | None]
    findings: list[Diagnostic]
    start: int
    # Source characters and decoded escapes stay apart until the end: only the former have an indentation to lose.
    raw: list[bool] = field(default_factory=list)
    parts: list[str | Hole] = field(default_factory=list)

    def scan(self) -> Scanned[Hole]:
        """Scan the literal whose opening quote is at `start`."""
        text, start = self.source.text, self.start
        quotes = '"""' if text.startswith('"""', start) else '"'
        plain = _PLAIN if quotes == '"' else _PLAIN_LINES
        before = len(self.findings)
        position = start + len(quotes)
        while not text.startswith(quotes, position):
            if (run := plain.match(text, position)) is not None:
                self._add(run.group(), raw=True)
                position = run.end()
                continue
            char = text[position : position + 1]
            if char == "\\":
                position = self._escape(position)
            elif text.startswith("${", position):
                hole = self.scan_hole(position + 2, quotes == '"')
                if hole is None:
                    return Scanned(None, self._after_failure(position, quotes))
                self._add(hole[0], raw=False)
                position = hole[1]
            elif char in ("", "\n"):
                return Scanned(None, self._lost_end(position, quotes), unclosed=True)
            else:
                self._add(char, raw=True)
                position += 1
        if quotes == '"""':
            self._strip_indent()
        parts = self._joined() if len(self.findings) == before else None
        return Scanned(parts, position + len(quotes))

    def _add(self, part: str | Hole, raw: bool) -> None:
        self.parts.append(part)
        self.raw.append(raw)

    def _escape(self, position: int) -> int:
        text = self.source.text
        char = text[position + 1 : position + 2]
        if char in ESCAPES:
            self._add(ESCAPES[char], raw=False)
            return position + 2
        point = _CODE_POINT.match(text, position + 1)
        if point is not None and _is_character(int(point.group(1), 16)):
            self._add(chr(int(point.group(1), 16)), raw=False)
            return point.end()
        bad = _BAD_ESCAPE.match(text, position + 1)
        end = bad.end() if bad is not None else position + 1
        self.findings.append(syntax_errors.bad_escape(Span(self.source, position, end)))
        return end

    def _lost_end(self, position: int, quotes: str) -> int:
        if quotes == '"':
            torn = _TORN.match(self.source.text, position)
            return torn.end("string") if torn is not None else position
        # Its end could be anywhere; what looks like the next item is certainly not text.
        item = TOP_ITEM.search(self.source.text, self.start)
        return item.start() if item is not None else position

    def _after_failure(self, position: int, quotes: str) -> int:
        # The rest of the literal cannot be told from code: go on after it, or on the next line.
        closing = self.source.text.find(quotes, position) if quotes == '"""' else -1
        return closing + len(quotes) if closing >= 0 else _line_end(self.source.text, position)

    def _strip_indent(self) -> None:
        """As in Swift and Pkl: the first line break and the last are not part, nor the closing quotes' indentation."""
        indent = ""
        for index, part in enumerate(self.parts):
            if self.raw[index] and isinstance(part, str):
                self.parts[index] = part.replace("\r\n", "\n")
        last = self.parts[-1] if self.parts else None
        if self.raw and self.raw[-1] and isinstance(last, str) and (closing := _CLOSING_INDENT.search(last)):
            indent = closing.group(1)
            if len(self.parts) > 1 or closing.start() > 0:
                self.parts[-1] = last[: closing.start()]
        for index, part in enumerate(self.parts):
            if self.raw[index] and isinstance(part, str):
                self.parts[index] = part.replace(f"\n{indent}", "\n")
        first = self.parts[0] if self.parts else None
        if self.raw and self.raw[0] and isinstance(first, str):
            self.parts[0] = first.removeprefix("\n")

    def _joined(self) -> tuple[str | Hole, ...]:
        joined: list[str | Hole] = []
        for part in self.parts:
            if isinstance(part, str) and joined and isinstance(joined[-1], str):
                joined[-1] += part
            elif part != "":
                joined.append(part)
        return tuple(joined)


def _is_character(point: int) -> bool:
    return point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF


def _line_end(text: str, position: int) -> int:
    line_break = text.find("\n", position)
    return line_break if line_break >= 0 else len(text)
