"""Reads the tokens and comments of a sound source into the groups and entries that its printer arranges."""

from __future__ import annotations

from dataclasses import dataclass, field

from .ast import Comment
from .layout import BREAK, Entry, Group, Note, Part, Remark, Shape
from .source import Source
from .tokens import CLOSE, CLOSER, OPEN, Lexed

_ITEM_WORDS = frozenset(("IMPORT", "PARAM", "LET", "ASSERT", "AS"))
_WORDS = _ITEM_WORDS | {"IF", "THEN", "ELSE", "AND", "OR", "NOT", "IN"}
_OPERANDS = frozenset(("NAME", "NUMBER", "STRING", "TEMPLATE", "RBRACE", "RBRACK", "RPAREN"))
_OPENERS = {kind: char for char, kind in OPEN.items()}
_CLOSERS = frozenset(CLOSE.values())
# A sign is a minus with nothing to its left; START stands before the first word of an entry.
_TIGHT_AFTER = frozenset(("START", "DOT", "SIGN"))
_TIGHT_BEFORE = frozenset(("DOT", "COLON"))
_BLANKS = " \t\r"


def read_layout(source: Source, lexed: Lexed) -> Group:
    """The layout of a file whose tokens parsed without a finding."""
    return _Reader(source, lexed).read()


@dataclass(slots=True)
class _Draft:
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
        flat, reach = _flat(self.parts)
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


class _Reader:
    """One pass over tokens and comments."""

    def __init__(self, source: Source, lexed: Lexed) -> None:
        self.text = source.text
        self.tokens = lexed.tokens
        self.comments = lexed.comments
        self.next_comment = 0
        self.draft = _Draft(Shape.FILE)
        self.outer: list[_Draft] = []
        self.previous = "START"
        # The end of the last token or comment, line ends aside.
        self.last_end = 0

    def read(self) -> Group:
        for index, (kind, start, end) in enumerate(self.tokens):
            self._comments_before(start, kind)
            if kind == "NEWLINE":
                self._separate()
                continue
            if kind == "COMMA":
                self.last_end = end
                self._comma(self.tokens[index + 1][1])
            elif kind in _CLOSERS:
                self._close(start)
            elif kind in _OPENERS:
                self._open(kind, start, end)
            elif kind != "END":
                self._word(kind, start, end, self.tokens[index + 1][0])
            self.last_end = end
        self.draft.finish()
        return self.draft.group()

    def _line_breaks(self, start: int) -> int:
        return self.text.count("\n", self.last_end, start)

    def _separate(self) -> None:
        self.draft.finish()
        self.previous = "START"

    # Words

    def _word(self, kind: str, start: int, end: int, following: str) -> None:
        draft = self.draft
        role = self._role(kind, following)
        if role == "EQUAL" and draft.mark < 0:
            self._mark()
        self._space(role, start)
        if self.previous == "START":
            draft.family = role
        draft.text += self.text[start:end]
        self.previous = role
        if kind == "TEMPLATE":
            self._skip_comments(end)

    def _role(self, kind: str, following: str) -> str:
        """What a token is where it stands: words of the language may be names, a minus may be a sign."""
        if kind == "MINUS":
            return "MINUS" if self.previous in _OPERANDS else "SIGN"
        if kind in ("TRUE", "FALSE"):
            return "NAME"
        if kind not in _WORDS:
            return kind
        if self.previous == "DOT":
            return "NAME"
        if self.previous == "START" and not self.draft.is_layout_free:
            return "NAME" if following in ("EQUAL", "LBRACE") else kind
        return "NAME" if kind in _ITEM_WORDS else kind

    def _mark(self) -> None:
        """The mark that is aligned is about to come: the first `=` or `{` of an item or field."""
        draft = self.draft
        if draft.shape in (Shape.FILE, Shape.BLOCK) and draft.family not in ("ASSERT", "IMPORT"):
            flat, _ = _flat([*draft.parts, draft.text])
            draft.mark = len(flat or "")

    def _space(self, role: str, start: int) -> None:
        """What stands before a word or opening bracket: nothing, a blank, or the author's line break."""
        draft = self.draft
        if self.previous == "START":
            self._start_entry(start)
            return
        if draft.parts and not draft.text and isinstance(draft.parts[-1], Remark):
            return
        tight = self.previous in _TIGHT_AFTER or role in _TIGHT_BEFORE
        if tight or (role in ("LPAREN", "LBRACK") and self.previous in _OPERANDS):
            return
        if draft.is_layout_free and role != "LBRACE" and not draft.is_type and self._line_breaks(start):
            draft.flush()
            draft.parts.append(BREAK)
            draft.broken = True
        else:
            draft.text += " "

    def _start_entry(self, start: int) -> None:
        draft, line_breaks = self.draft, self._line_breaks(start)
        draft.blank = line_breaks > 1
        draft.joins = line_breaks == 0 and bool(draft.entries)
        draft.broken = draft.broken or (line_breaks > 0 and draft.is_layout_free and not draft.is_type)

    # Brackets and commas

    def _open(self, kind: str, start: int, end: int) -> None:
        draft = self.draft
        if kind == "LBRACE" and draft.mark < 0:
            self._mark()
        self._space(kind, start)
        draft.flush()
        self.outer.append(draft)
        char = _OPENERS[kind]
        self.draft = _Draft(self._shape(kind), char + CLOSER[char], end, is_type=self.previous == "COLON")
        self.previous = "START"

    def _shape(self, kind: str) -> Shape:
        if kind == "LBRACE":
            return Shape.BLOCK
        after_operand = self.previous in _OPERANDS
        is_list = after_operand if kind == "LPAREN" else not after_operand and self.previous != "COLON"
        return Shape.LIST if is_list else Shape.PAREN

    def _close(self, start: int) -> None:
        draft = self.draft
        draft.finish()
        if draft.shape is Shape.BLOCK:
            draft.broken = self.text.find("\n", draft.begin, start) >= 0
        elif not draft.is_type:
            draft.broken = draft.broken or self._line_breaks(start) > 0
        self.draft = self.outer.pop()
        self.draft.parts.append(draft.group())
        self.previous = {"{": "RBRACE", "[": "RBRACK", "(": "RPAREN"}[draft.brackets[0]]

    def _comma(self, next_start: int) -> None:
        comment = self._peek()
        follows = comment is not None and comment.span.start < next_start and self._line_breaks(comment.span.start) == 0
        if comment is not None and follows and not self.draft.trailing:
            self.draft.trailing = comment.text.rstrip(_BLANKS)
            self.next_comment += 1
        self._separate()

    # Comments

    def _peek(self) -> Comment | None:
        return self.comments[self.next_comment] if self.next_comment < len(self.comments) else None

    def _skip_comments(self, end: int) -> None:
        """Pass over what stands inside the interpolations of a string."""
        while (comment := self._peek()) is not None and comment.span.start < end:
            self.next_comment += 1

    def _comments_before(self, start: int, kind: str) -> None:
        while (comment := self._peek()) is not None and comment.span.start < start:
            self._comment(comment, ends_entry=kind == "COMMA" or kind in _CLOSERS)
            self.next_comment += 1
            self.last_end = comment.span.end

    def _comment(self, comment: Comment, ends_entry: bool) -> None:
        draft, text = self.draft, comment.text.rstrip(_BLANKS)
        line_breaks = self._line_breaks(comment.span.start)
        in_entry = bool(draft.text or draft.parts)
        draft.broken = draft.broken or draft.is_layout_free
        if in_entry and draft.is_layout_free and not ends_entry:
            draft.flush()
            draft.parts.append(Remark(text, line_breaks > 0))
        elif in_entry and line_breaks == 0 and not draft.trailing:
            draft.trailing = text
        elif in_entry:
            draft.late.append(Note(text, line_breaks > 1))
        elif line_breaks == 0 and draft.brackets and not draft.entries and not draft.notes and not draft.opening:
            draft.opening = text
        else:
            draft.notes.append(Note(text, line_breaks > 1))


def _flat(parts: list[Part]) -> tuple[str | None, int]:
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
    flat, reach = _flat(parts)
    return Entry(tuple(parts), flat, reach, first.notes, first.blank, second.trailing, first.mark, first.family, first.joins)
