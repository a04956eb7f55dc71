"""Renders findings as text for people: the line at fault with carets, the other places, the way out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .diagnostics import Diagnostic, Severity
from .source import Span

TAB_CELLS = 4
# A longer line is cut to a window around what is marked.
WINDOW_CELLS = 140

_RESET = "\033[0m"
_BOLD, _BLUE = "\033[1m", "\033[1;34m"
_SEVERITY_COLOURS = {Severity.ERROR: "\033[1;31m", Severity.WARNING: "\033[1;33m", Severity.NOTE: "\033[1;36m"}
# Characters that reorder the text around them would let a line show what it does not say.
_REORDERING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)))


def render_text(findings: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """Every finding with its snippets, a blank line after each; empty where there are none."""
    return "".join(f"{line}\n" for finding in findings for line in (*_Rendering(finding, colour).lines(), ""))


def summary(findings: Sequence[Diagnostic]) -> str:
    """How many findings of each severity, as in `2 errors, 1 warning`."""
    counts = {severity: sum(finding.severity is severity for finding in findings) for severity in Severity}
    parts = [f"{count} {severity.value}{'s' * (count != 1)}" for severity, count in counts.items() if count]
    return ", ".join(parts) or "no findings"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A place to underline on a line, and what to say there."""

    span: Span
    sign: str
    message: str


@dataclass(frozen=True, slots=True)
class _Rendering:
    finding: Diagnostic
    colour: bool

    def lines(self) -> Iterator[str]:
        finding = self.finding
        head = self._paint(f"{finding.severity.value}[{finding.code}]", _SEVERITY_COLOURS[finding.severity])
        yield head + self._paint(f": {_clean(finding.message)}", _BOLD)
        if finding.primary is not None:
            yield from self._snippets(finding.primary)
        gutter = " " * self._gutter_width()
        if finding.primary is not None and (finding.help is not None or finding.fix is not None):
            yield f"{gutter} {self._paint('|', _BLUE)}"
        if finding.help is not None:
            yield f"{gutter} {self._paint('=', _BLUE)} help: {_clean(finding.help)}"
        if finding.fix is not None and finding.help is None:
            yield f"{gutter} {self._paint('=', _BLUE)} fix: {_clean(finding.fix.message)}"

    def _snippets(self, primary: Span) -> Iterator[str]:
        marks = [_Mark(primary, "^", "")]
        others: list[_Mark] = []
        for related in self.finding.related:
            same_line = related.span.source is primary.source and related.span.line == primary.line
            (marks if same_line else others).append(_Mark(related.span, "-", related.message))
        yield from self._snippet("-->", marks)
        for other in others:
            yield from self._snippet(":::", [other])

    def _snippet(self, arrow: str, marks: list[_Mark]) -> Iterator[str]:
        span, width = marks[0].span, self._gutter_width()
        bar = self._paint("|", _BLUE)
        place = f"{span.source.name}:{span.line}:{span.column}"
        yield f"{' ' * width}{self._paint(arrow, _BLUE)} {place}"
        yield f"{' ' * width} {bar}"
        shown = _ShownLine.of(span)
        yield f"{self._paint(f'{span.line:>{width}}', _BLUE)} {bar} {shown.text}".rstrip()
        for mark in marks:
            yield f"{' ' * width} {bar} {self._underline(shown, mark)}"

    def _underline(self, shown: _ShownLine, mark: _Mark) -> str:
        start, end = shown.cells(mark.span)
        last_line = mark.span.source.line_of(max(mark.span.start, mark.span.end - 1))
        hint = f"up to line {last_line}" if last_line > mark.span.line else ""
        note = ": ".join(part for part in (_clean(mark.message), hint) if part)
        colour = _SEVERITY_COLOURS[self.finding.severity] if mark.sign == "^" else _BLUE
        return " " * start + self._paint(f"{mark.sign * max(1, end - start)} {note}".rstrip(), colour)

    def _gutter_width(self) -> int:
        spans = [related.span for related in self.finding.related]
        if self.finding.primary is not None:
            spans.append(self.finding.primary)
        return max((len(str(span.line)) for span in spans), default=1)

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self.colour else text


@dataclass(frozen=True, slots=True)
class _ShownLine:
    """A source line as a terminal shows it: `offsets[i]` is the cell at which its character `i` starts."""

    text: str
    line_start: int
    offsets: tuple[int, ...]

    @staticmethod
    def of(span: Span) -> _ShownLine:
        """The line on which a span starts, cut to a window where it is very long."""
        line, line_start = span.source.line_text(span.line), span.source.line_starts[span.line - 1]
        cut = max(0, span.start - line_start - WINDOW_CELLS // 2) if len(line) > WINDOW_CELLS else 0
        pieces, offsets, cell = ["…"] if cut else [], [], 1 if cut else 0
        for char in line[cut : cut + WINDOW_CELLS]:
            offsets.append(cell)
            piece, cells = _shown(char, cell)
            pieces.append(piece)
            cell += cells
        if len(line) > cut + WINDOW_CELLS:
            pieces.append("…")
        return _ShownLine("".join(pieces), line_start + cut, (*offsets, cell))

    def cells(self, span: Span) -> tuple[int, int]:
        """The first cell of a span and the one after its last, as far as this line shows it."""
        last = len(self.offsets) - 1
        start, end = (min(max(0, offset - self.line_start), last) for offset in (span.start, span.end))
        return self.offsets[start], self.offsets[end]


def _shown(char: str, cell: int) -> tuple[str, int]:
    """How a character is shown, and how many cells it takes at a cell."""
    if " " <= char <= "~":
        return char, 1
    if char == "\t":
        cells = TAB_CELLS - cell % TAB_CELLS
        return " " * cells, cells
    if char in _REORDERING or unicodedata.category(char) in ("Cc", "Cs"):
        return "\ufffd", 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _clean(text: str) -> str:
    """A message without characters that would act on the terminal."""
    return "".join(char if " " <= char <= "~" else _shown(char, 0)[0] for char in text)
