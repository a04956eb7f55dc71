"""A group of a layout while it is read, until its entries and how they fit on one line are known."""

from __future__ import annotations

from dataclasses import dataclass, field

from .layout import Entry, Group, Note, Part, Shape


@dataclass(slots=True)
class Draft:
    """A group while it is read, and its entry at hand."""

    shape: Shape
    brackets: str = ""
    begin: int = 0
    is_type: bool = False
    entries: list[Entry] = field(default_factory=list)
    opening: str = ""
    broken: bool = False
    notes: list[Note] = field(default_factory=list)
    # Comments below an element and above its comma: they stand above the next one.
    late: list[Note] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    text: str = ""
    blank: bool = False
    joins: bool = False
    trailing: str = ""
    mark: int = -1
    family: str = ""

    @property
    def is_layout_free(self) -> bool:
        """Whether newlines mean nothing here."""
        return self.shape in (Shape.LIST, Shape.PAREN)

    def flush(self) -> None:
        """End the run of words at hand."""
        if self.text:
            self.parts.append(self.text)
            self.text = ""

    def finish(self) -> None:
        """End the entry at hand, if there is one."""
        self.flush()
        if not self.parts:
            return
        flat, reach = flat_parts(self.parts)
        notes, trailing = tuple(self.notes), self.trailing
        entry = Entry(tuple(self.parts), flat, reach, notes, self.blank, trailing, self.mark, self.family, self.joins)
        while entry.joins and _is_one_line(entry, self.entries[-1]):
            entry = _together(self.entries.pop(), entry)
        self.entries.append(entry)
        self.notes, self.late, self.parts = self.late, [], []
        self.blank, self.joins, self.trailing, self.mark, self.family = False, False, "", -1, ""

    def group(self) -> Group:
        """The finished group."""
        entries, notes = tuple(self.entries), tuple(self.notes)
        flats = [entry.flat for entry in entries if entry.flat is not None]
        is_flat = len(flats) == len(entries)
        broken = self.broken or bool(self.opening or notes)
        if not entries:
            broken = bool(self.opening or notes)
        elif self.shape is Shape.LIST:
            broken = broken or (len(entries) > 1 and not is_flat)
        if self.shape is Shape.FILE or broken or not is_flat:
            return Group(self.shape, self.brackets, entries, self.opening, notes, broken, None, 0)
        inner = ", ".join(flats)
        padded = f" {inner} " if inner and self.shape is Shape.BLOCK else inner
        flat = f"{self.brackets[0]}{padded}{self.brackets[1]}"
        reach = 1 + entries[0].reach if entries and entries[0].reach else 0
        if entries and self.shape is not Shape.PAREN:
            reach = len(flat)
        return Group(self.shape, self.brackets, entries, "", (), False, flat, reach)


def flat_parts(parts: list[Part]) -> tuple[str | None, int]:
    """Parts on one line, None where they take several, and where the last group ends that may be broken."""
    flat, reach = "", 0
    for part in parts:
        text = part if isinstance(part, str) else part.flat if isinstance(part, Group) else None
        if text is None or "\n" in text:
            return None, 0
        if isinstance(part, Group) and part.reach:
            reach = len(flat) + part.reach
        flat += text
    return flat, reach


def _is_one_line(entry: Entry, before: Entry) -> bool:
    """Whether two entries of one line stay on it."""
    return (entry.is_pinned or before.is_pinned) and None not in (entry.flat, before.flat)


def _together(first: Entry, second: Entry) -> Entry:
    """Two entries of a line that is kept whole, as one."""
    parts = [*first.parts, ", ", *second.parts]
    flat, reach = flat_parts(parts)
    return Entry(tuple(parts), flat, reach, first.notes, first.blank, second.trailing, first.mark, first.family, first.joins)
