"""Matches brackets while a source is cut into tokens, and closes those that were left open.

The parser relies on it: whatever the source, brackets in the token list are balanced, and no deeper than MAX_BRACKETS.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from . import syntax_errors
from .source import Source, Span
from .string_literals import TOP_ITEM
from .tokens import CLOSE, CLOSER, MAX_BRACKETS, MAX_DEPTH, OPEN, Lexed

_INDENTED_BODY = re.compile(r"[^\n]*\n(?:[ \t\r]*\n)*[ \t]+[^\s}]")
# Tokens looked back at for the `=` before a list.
_LIST_LENGTH = 64
# The rest of a line with nothing but brackets and a comment, and what lies before the next line's first character.
_NEXT_LINE = re.compile(r"[ \t\r}]{0,64}(?:\#[^\n]*)?(?:\n[ \t\r]*(?:\#[^\n]*)?)+(?=[^\s#])")
_BRACKET = re.compile(r"[\[({\])}]")


@dataclass(frozen=True, slots=True)
class Opener:
    """An open bracket: its character, offset, place among the tokens, and the depth outside it."""

    char: str
    offset: int
    index: int
    depth: int


@dataclass(frozen=True, slots=True)
class Imbalance:
    """How many braces of a source close nothing, and how many are not closed."""

    extra: int = 0
    missing: int = 0


class Brackets:
    """The open brackets of one pass, and how deep the expression at hand may nest; `outer` counts those around it.

    Layout means nothing by itself. Where an earlier pass found an `imbalance`, indentation says which brace it is.
    """

    def __init__(self, source: Source, lexed: Lexed, outer: int, outer_depth: int, imbalance: Imbalance | None) -> None:
        self.source = source
        self.text = source.text
        self.lexed = lexed
        self.tokens = lexed.tokens
        self.outer = outer
        self.outer_depth = outer_depth
        self.depth = outer_depth
        self.stack: list[Opener] = []
        # A closed block whose brace stands left of where it should: its own was probably forgotten.
        self.suspect: int | None = None
        # A string at fault took closing brackets with it, which are not missed a second time.
        self.text_lost = False
        self.is_too_deep = False
        self.trust_layout = imbalance is not None
        self.suspects = imbalance or Imbalance()
        self.found = Imbalance()

    @property
    def inside(self) -> str:
        """The innermost open bracket, empty at the top."""
        return self.stack[-1].char if self.stack else ""

    def is_full(self) -> bool:
        """Whether one more bracket is too many."""
        return self.outer + len(self.stack) >= MAX_BRACKETS

    def open(self, start: int) -> None:
        """Open the bracket at an offset."""
        char = self.text[start]
        depth = self.depth
        # Before the bracket: what is too deep is the whole expression, not an entry of the block that follows.
        self.deepen(start, start + 1)
        self.stack.append(Opener(char, start, len(self.tokens), depth))
        self.tokens.append((OPEN[char], start, start + 1))

    def close(self, start: int, in_hole: bool) -> bool:
        """Close with the bracket at an offset; false where nothing is open that it could close."""
        char = self.text[start]
        if char == "}" and self._ends_block(start, in_hole):
            self.drop()
        if char == "}" and self.suspects.extra and self._is_extra(start):
            self.suspects = replace(self.suspects, extra=self.suspects.extra - 1)
            return False
        if not self.stack or (self.inside == "{" and char != "}"):
            self.found = replace(self.found, extra=self.found.extra + (char == "}"))
            return char != "}" and self._lose_list(start)
        opener = self.stack[-1]
        if CLOSER[opener.char] == char:
            self._pop(start, start + 1)
            return True
        found, opened = self._span(start), self._span(opener.offset)
        self.lexed.findings.append(syntax_errors.mismatched_bracket(found, opened))
        self.tokens.append(("BROKEN", start, start + 1))
        self._pop(start + 1, start + 1)
        return True

    def next_entry(self) -> None:
        """Begin another entry or item of the innermost bracket."""
        self.depth = self.stack[-1].depth + 1 if self.stack else self.outer_depth
        self.is_too_deep = self.is_too_deep and bool(self.stack)

    def deepen(self, start: int, end: int) -> None:
        """Count an operator or a bracket, which may make the tree one deeper."""
        self.depth += 1
        if self.depth == MAX_DEPTH:
            if not self.is_too_deep:
                span = Span(self.source, start, end)
                self.lexed.findings.append(syntax_errors.too_deep(span, MAX_DEPTH, "operators"))
            self.is_too_deep = True
            self.tokens.append(("FAULT", start, end))

    def is_left_at(self, start: int) -> bool:
        """Whether the word at the start of a line begins an item, so that all brackets must have been closed."""
        if TOP_ITEM.match(self.text, start) is None:
            return False
        if self.text_lost or self.trust_layout:
            return True
        # Only a block whose entries are indented says that column 1 is outside of it.
        outermost = self.stack[0]
        indented = outermost.char != "{" or _INDENTED_BODY.match(self.text, outermost.offset) is not None
        return indented and not self.text.startswith("assert", start)

    def drop(self) -> None:
        """Give up the brackets above the innermost brace: one finding, and a FAULT in their place."""
        outermost = self.stack[-1]
        while self.stack and self.stack[-1].char != "{":
            outermost = self.stack.pop()
        del self.tokens[outermost.index :]
        self.depth = outermost.depth
        self.lexed.findings.append(syntax_errors.unclosed_bracket(self._span(outermost.offset)))
        self.tokens.append(("FAULT", outermost.offset, outermost.offset + 1))

    def close_left(self, start: int) -> None:
        """Close the blocks that the line whose first character is at `start` stands outside of by its indentation."""
        while self.suspects.missing and self.inside == "{" and self._is_outside(start, self.stack[-1].offset):
            self.suspects = replace(self.suspects, missing=self.suspects.missing - 1)
            opener = self.stack.pop()
            self.lexed.findings.append(syntax_errors.unclosed_bracket(self._span(opener.offset)))
            at = self._before_line_end()
            self.tokens.append(("RBRACE", at, at))
            self.depth = opener.depth + 1

    def close_all(self) -> None:
        """Close every open bracket before an item, with one finding."""
        self._report_unclosed()
        at = self._before_line_end()
        while self.stack:
            opener = self.stack.pop()
            if opener.char == "{":
                self.found = replace(self.found, missing=self.found.missing + 1)
                self.tokens.append(("RBRACE", at, at))
            else:
                del self.tokens[opener.index :]
                self.tokens.append(("FAULT", opener.offset, opener.offset + 1))
        self.tokens.append(("NEWLINE", at, at))
        self.depth = self.outer_depth

    def close_lost(self, start: int, end: int) -> None:
        """Close the brackets of this line whose closing one lies in the text of a string that is at fault."""
        lost = self.text[start:end]
        self.text_lost = bool(self.stack) and ("\n" in lost or end == len(self.text))
        if end < len(self.text) and self.text[end] not in "\r\n":
            return
        line_start = self.text.rfind("\n", 0, start) + 1
        while self.stack and self.stack[-1].offset >= line_start and CLOSER[self.inside] in lost:
            self._pop(end, end)

    def skip_too_many(self, start: int) -> int:
        """Leave out the whole item that has a bracket too many; the offset after it."""
        if self.stack:
            del self.tokens[self.stack[0].index :]
        self.lexed.findings.append(syntax_errors.too_deep(self._span(start), MAX_BRACKETS, "brackets"))
        self.tokens.append(("FAULT", start, start + 1))
        level = len(self.stack) + 1
        self.stack.clear()
        for bracket in _BRACKET.finditer(self.text, start + 1):
            level += 1 if bracket.group() in CLOSER else -1
            if level == 0:
                return bracket.end()
        return len(self.text)

    def _before_line_end(self) -> int:
        """Takes the line end off the tokens; the offset at which tokens before it stand, so that none starts with the next item."""
        line_end = self.tokens.pop() if self.tokens[-1][0] == "NEWLINE" else None
        return line_end[1] if line_end else self.tokens[-1][2]

    def _pop(self, start: int, end: int) -> None:
        opener = self.stack.pop()
        # What follows, as in `a[0][1]`, holds what stands in the brackets.
        self.depth = opener.depth + 1
        self.tokens.append((CLOSE[CLOSER[opener.char]], start, end))
        over_lines = self.text.rfind("\n", opener.offset, start) >= 0
        if opener.char == "{" and over_lines and self._is_left_of(start, opener.offset):
            self.suspect = opener.offset

    def _lose_list(self, start: int) -> bool:
        """Whether the bracket that closes nothing ends a list whose own was forgotten: the values since the `=` are one fault."""
        commas = 0
        for index in range(len(self.tokens) - 1, max(len(self.tokens) - _LIST_LENGTH, -1), -1):
            kind = self.tokens[index][0]
            if kind == "EQUAL" and commas:
                del self.tokens[index + 1 :]
                self.lexed.findings.append(syntax_errors.stray_bracket(self._span(start)))
                self.tokens.append(("FAULT", start, start + 1))
                return True
            if kind not in ("COMMA", "NAME", "NUMBER", "STRING", "MINUS"):
                break
            commas += kind == "COMMA"
        return False

    def _ends_block(self, start: int, in_hole: bool) -> bool:
        """Whether a `}` closes a block, or an interpolation, with brackets still open inside it."""
        if self.inside in ("", "{") or self._is_typing_slip(start):
            return False
        return in_hole or any(opener.char == "{" for opener in self.stack)

    def _is_typing_slip(self, start: int) -> bool:
        """Whether a `}` stands for the bracket that is open: both on one line, the block opened on an earlier one."""
        line_start = self.text.rfind("\n", 0, start) + 1
        braces = [opener.offset for opener in self.stack if opener.char == "{"]
        return bool(braces) and braces[-1] < line_start <= self.stack[-1].offset and not self._is_first(start)

    def _is_outside(self, start: int, opening: int) -> bool:
        """Whether a line starts left of what the block opened at `opening` holds."""
        indented = self.text[opening + 1 : self._line_end(opening)].strip() or _INDENTED_BODY.match(self.text, opening)
        if start >= len(self.text) or self.text[start] == "#" or not indented:
            return False
        line, block = len(self._indent(start)), len(self._indent(opening))
        return line < block if self.text[start] == "}" else line <= block

    def _is_extra(self, start: int) -> bool:
        """Whether a `}` would close a block of earlier lines that goes on below, or stands right of where that block began."""
        if not self.stack or self.stack[-1].offset > self.text.rfind("\n", 0, start):
            return False
        block = len(self._indent(self.stack[-1].offset))
        if self._is_first(start):
            return len(self._indent(start)) > block
        following = _NEXT_LINE.match(self.text, start + 1)
        if following is None:
            return False
        closes = self.text.startswith("}", following.end())
        return len(self._indent(following.end())) + closes > block

    def _line_end(self, offset: int) -> int:
        found = self.text.find("\n", offset)
        return found if found >= 0 else len(self.text)

    def _report_unclosed(self) -> None:
        if self.text_lost:
            self.text_lost = False
            return
        innermost = self.stack[-1].offset
        is_suspect = self.suspect is not None and self.suspect > innermost
        reported = self.suspect if is_suspect and self.suspect is not None else innermost
        others = [self._span(opener.offset) for opener in self.stack if opener.offset != reported]
        outer = () if is_suspect else tuple(others)
        self.lexed.findings.append(syntax_errors.unclosed_bracket(self._span(reported), outer))
        self.suspect = None

    def _span(self, offset: int) -> Span:
        return Span(self.source, offset, offset + 1)

    def _is_left_of(self, closing: int, opening: int) -> bool:
        return self._is_first(closing) and len(self._indent(closing)) < len(self._indent(opening))

    def _is_first(self, offset: int) -> bool:
        return not self.text[self.text.rfind("\n", 0, offset) + 1 : offset].strip()

    def _indent(self, offset: int) -> str:
        """The blanks that begin the line of an offset."""
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset + 1]
        return line[: len(line) - len(line.lstrip())]
