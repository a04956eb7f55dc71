"""Reads the tokens and comments of a sound source into the groups and entries that its printer arranges."""

from __future__ import annotations

from .layout import BREAK, Group, Note, Remark, Shape
from .layout_draft import Draft, flat_parts
from .source import Source
from .tokens import CLOSE, CLOSER, OPEN, Comment, Lexed

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


class _Reader:
    """One pass over tokens and comments."""

    def __init__(self, source: Source, lexed: Lexed) -> None:
        self.text = source.text
        self.tokens = lexed.tokens
        self.comments = lexed.comments
        self.next_comment = 0
        self.draft = Draft(Shape.FILE)
        self.outer: list[Draft] = []
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
            flat, _ = flat_parts([*draft.parts, draft.text])
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
        draft.joins = line_breaks == 0 and bool(draft.entries) and not (draft.notes or draft.entries[-1].trailing)
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
        self.draft = Draft(self._shape(kind), char + CLOSER[char], end, is_type=self.previous == "COLON")
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
        if comment is not None and follows and not self.draft.trailing and not self.draft.late:
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
