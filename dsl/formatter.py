"""Prints a source in canonical form: the same words and comments in the same order, on lines of their own choice.

What never changes: the spelling of numbers, the contents of strings, and what the file means. A source that does not
parse is not printed at all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from .alignment import align
from .diagnostics import Diagnostic
from .import_order import imports_sorted
from .layout import BREAK, Entry, Group, Note, Part, Remark, Shape
from .layout_reader import read_layout
from .lexer import lex
from .recognise import is_sound
from .source import Source
from .tokens import Lexed

WIDTH = 100
_INDENT = 2
_DROPPED = str.maketrans("", "", " \t\r\n,\ufeff")


@dataclass(frozen=True, slots=True)
class Formatted:
    """The text in canonical form, None where the source does not parse, and what the parser found."""

    text: str | None
    findings: tuple[Diagnostic, ...]


def format_source(source: Source) -> Formatted:
    """The canonical form of a source."""
    lexed = lex(source)
    if not is_sound(lexed):
        # Imported here: to print what is sound takes no tree.
        from .parser import parse

        findings = parse(source).findings
        assert findings, "the parser takes what the recogniser does not"
        return Formatted(None, findings)
    layout = read_layout(source, lexed)
    text = _Printer(_line_end(source.text, lexed)).file(replace(layout, entries=imports_sorted(layout.entries)))
    _guard(source.text, text)
    return Formatted(text, ())


def _guard(before: str, after: str) -> None:
    """Refuses to go on with a text that has other characters than the source: better no output than another meaning."""
    old, new = before.translate(_DROPPED), after.translate(_DROPPED)
    # Imports may have changed places.
    assert old == new or Counter(old) == Counter(new), "the formatter lost or invented text"


def _line_end(text: str, lexed: Lexed) -> str:
    """How the first line of a file ends, line breaks inside strings aside."""
    position = 0
    for kind, start, end in lexed.tokens:
        found = text.find("\n", position, start)
        if found >= 0:
            return "\r\n" if text.startswith("\r", max(found - 1, 0)) else "\n"
        position = start if kind == "NEWLINE" else end
    return "\n"


class _Printer:
    """Writes lines from left to right; a group that does not fit in what is left of its line is broken."""

    def __init__(self, line_end: str) -> None:
        self.line_end = line_end
        self.lines: list[str] = []
        self.line = ""
        self.indent = 0
        # Columns that the line at hand would be longer by, were it whole: its alignment, and the comma after it.
        self.shift = 0

    def file(self, layout: Group) -> str:
        """The whole text, which ends with a line end unless it is empty."""
        self._entries(layout, 0)
        return "".join(f"{line}{self.line_end}" for line in self.lines)

    def _begin_line(self, indent: int) -> None:
        self.indent = indent
        self.line = " " * indent

    def _end_line(self) -> None:
        self.lines.append(self.line)
        self.shift = 0

    def _entries(self, group: Group, indent: int) -> None:
        """The entries and comments of a group, each on lines of its own."""
        entries = group.entries
        comma = "," if group.shape is Shape.LIST else ""
        rows = align(entries, WIDTH - indent - len(comma), comma)
        at_top = group.shape is Shape.FILE
        begins, after_block = True, False
        for entry, row in zip(entries, rows, strict=True):
            is_block = row.text is None
            apart = at_top and not begins and (is_block or after_block)
            self._above(entry, indent, begins, apart)
            self._begin_line(indent)
            if row.text is not None:
                self.line += row.text
            else:
                self.shift = row.shift + len(comma)
                self._parts(entry.parts, indent + (_INDENT if group.shape is Shape.LIST else 0))
                self.line += comma + (f"  {entry.trailing}" if entry.trailing else "")
            self._end_line()
            begins, after_block = False, is_block
        self._notes(group.notes, indent, begins)

    def _above(self, entry: Entry, indent: int, begins: bool, apart: bool) -> None:
        """What stands above an entry; where it must stand `apart`, one blank line at least."""
        if apart and not entry.blank and not any(note.blank for note in entry.notes):
            self.lines.append("")
        self._notes(entry.notes, indent, begins)
        if entry.blank and not (begins and not entry.notes):
            self.lines.append("")

    def _notes(self, notes: tuple[Note, ...], indent: int, begins: bool) -> None:
        for index, note in enumerate(notes):
            if note.blank and not (begins and index == 0):
                self.lines.append("")
            self.lines.append(" " * indent + note.text)

    def _parts(self, parts: tuple[Part, ...], continued: int) -> None:
        """An entry that takes several lines; those that go on an expression begin at `continued`."""
        fresh = False
        for part in parts:
            if isinstance(part, Remark):
                self._remark(part, continued, fresh)
            elif isinstance(part, Group):
                self._group(part)
            elif part == BREAK:
                self._end_line()
                self._begin_line(continued)
            else:
                self.line += part
            fresh = isinstance(part, Remark)

    def _remark(self, remark: Remark, continued: int, fresh: bool) -> None:
        if remark.own_line and not fresh:
            self._end_line()
            self._begin_line(continued)
        self.line += remark.text if remark.own_line else f"  {remark.text}"
        self._end_line()
        self._begin_line(continued)

    def _group(self, group: Group) -> None:
        column = len(self.line) - self.line.rfind("\n") - 1 + self.shift
        if group.flat is not None and column + group.reach <= WIDTH:
            self.line += group.flat
        elif group.broken or (group.flat is not None and group.shape is not Shape.PAREN):
            self._broken(group)
        else:
            self._hugged(group)

    def _broken(self, group: Group) -> None:
        outside = self.indent
        self.line += group.brackets[0] + (f"  {group.opening}" if group.opening else "")
        self._end_line()
        self._entries(group, outside + _INDENT)
        self._begin_line(outside)
        self.line += group.brackets[1]

    def _hugged(self, group: Group) -> None:
        """Brackets on the first and last line of the one entry that they hold."""
        self.line += group.brackets[0]
        self._parts(group.entries[0].parts, self.indent)
        self.line += group.brackets[1]
