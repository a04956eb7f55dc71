"""Renders findings as text for people: the line at fault with carets, the other places, the way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .cells import shown
from .counting import counted
from .diagnostics import Diagnostic, Severity
from .report import Report
from .source import Span

# A longer line is cut to a window around what is marked.
WINDOW_CELLS = 140

_RESET = "\033[0m"
_BOLD, _BLUE = "\033[1m", "\033[1;34m"
_SEVERITY_COLOURS = {Severity.ERROR: "\033[1;31m", Severity.WARNING: "\033[1;33m", Severity.NOTE: "\033[1;36m"}


def render_text(findings: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """Every finding with its snippets, a blank line after each; empty where there are none."""
    return "".join(f"{line}\n" for finding in findings for line in (*_Rendering(finding, colour).lines(), ""))


def render(report: Report) -> str:
    """The findings with their counts, or how many specs have none."""
    if not report.findings:
        return f"{counted(len(report.checked), 'spec')} checked, {report.nothing}\n"
    return f"{render_text(report.findings, colour=report.colour)}{summary(report.findings)}\n"


def summary(findings: Sequence[Diagnostic]) -> str:
    """How many findings of each severity, as in `2 errors, 1 warning`."""
    counts = {severity: sum(finding.severity is severity for finding in findings) for severity in Severity}
    parts = [counted(count, severity.value) for severity, count in counts.items() if count]
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
        yield head + self._paint(f": {clean(finding.message)}", _BOLD)
        if finding.primary is not None:
            yield from self._snippets(finding.primary)
        gutter = " " * self._gutter_width()
        if finding.primary is not None and (finding.help is not None or finding.fix is not None):
            yield f"{gutter} {self._paint('|', _BLUE)}"
        if finding.help is not None:
            yield f"{gutter} {self._paint('=', _BLUE)} help: {clean(finding.help)}"
        if finding.fix is not None:
            yield f"{gutter} {self._paint('=', _BLUE)} fix available: {clean(finding.fix.message)}"

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
        if not shown.shows(mark.span):
            hint = f"at column {mark.span.column}"
        note = ": ".join(part for part in (clean(mark.message), hint) if part)
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
    is_cut: bool

    @staticmethod
    def of(span: Span) -> _ShownLine:
        """The line on which a span starts, cut to a window where it is very long."""
        line, line_start = span.source.line_text(span.line), span.source.line_starts[span.line - 1]
        cut = _window(line, span.start - line_start)
        pieces, offsets, cell = ["…"] if cut else [], [], 1 if cut else 0
        before, last = "", cut
        while last < len(line) and cell < WINDOW_CELLS:
            piece, cells = shown(line[last], cell, before)
            offsets.append(cell)
            pieces.append(piece)
            before, last, cell = line[last], last + 1, cell + cells
        if last < len(line):
            pieces.append("…")
        return _ShownLine("".join(pieces), line_start + cut, (*offsets, cell), is_cut=bool(cut) or last < len(line))

    def cells(self, span: Span) -> tuple[int, int]:
        """The first cell of a span and the one after its last, as far as this line shows it."""
        last = len(self.offsets) - 1
        start, end = (min(max(0, offset - self.line_start), last) for offset in (span.start, span.end))
        return self.offsets[start], self.offsets[end]

    def shows(self, span: Span) -> bool:
        """Whether the place at which a span starts is in the window."""
        return not self.is_cut or 0 <= span.start - self.line_start < len(self.offsets)


def _window(line: str, place: int) -> int:
    """The character at which the shown part of a line begins: half a window of cells before a place."""
    if sum(shown(char, 0, "")[1] for char in line) <= WINDOW_CELLS:
        return 0
    cut, cells = place, 0
    while cut > 0 and cells < WINDOW_CELLS // 2:
        cut -= 1
        cells += shown(line[cut], 0, "")[1]
    # Not in the middle of a character that is written as several.
    while 0 < cut < place and shown(line[cut], 0, "")[1] == 0:
        cut += 1
    return cut


def clean(text: str) -> str:
    """A message without characters that would act on the terminal."""
    return "".join(char if " " <= char <= "~" else shown(char, 0, "")[0] for char in text)
