"""Cuts a source into tokens and comments, and matches its brackets, so that the parser always sees balanced ones.

What cannot be a token becomes a finding and a FAULT token, which the parser skips without a second finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from . import syntax_errors
from .ast import Comment
from .diagnostics import Diagnostic
from .source import Source, Span
from .string_literals import TOP_ITEM, StringScanner
from .unit_words import DIGITS_PATTERN, UNIT_PATTERN

# Kind, start, end. Kinds are the terminals of train.lark, and END, FOREIGN (a character without meaning), STRAY (a
# closing bracket too many); FAULT and MISMATCH stand for what the lexer has reported.
Token = tuple[str, int, int]

# Brackets, and all that can nest in one expression: both bound the depth of the tree, and so every recursion over it.
MAX_BRACKETS = 64
MAX_DEPTH = 200

WORDS = {
    word: word.upper()
    for word in (
        *("import", "param", "let", "assert", "as"),
        *("if", "then", "else", "and", "or", "not", "in", "true", "false"),
    )
}
_NESTING_WORDS = frozenset(("IF", "ELSE", "NOT", "AND", "OR"))
_OPERATORS = {
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), "COMPARE"),
    **dict.fromkeys(("*", "/", "//", "%"), "TIMES"),
    "+": "PLUS",
    "-": "MINUS",
    ".": "DOT",
}
_OPEN = {"[": "LBRACK", "(": "LPAREN", "{": "LBRACE"}
_CLOSE = {"]": "RBRACK", ")": "RPAREN", "}": "RBRACE"}
CLOSER = {"[": "]", "(": ")", "{": "}"}

_TOKEN = re.compile(
    rf"""[ \t\r]*(?:
      (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<newline>\n[ \t\r\n]*)
    | (?P<number>{DIGITS_PATTERN})
    | (?P<equal>=(?!=))
    | (?P<operator>[=!<>]=|//|[-+*/%<>.])
    | (?P<comma>,)
    | (?P<open>[\[({{])
    | (?P<close>[\])}}])
    | (?P<comment>\#[^\n]*)
    | (?P<string>")
    | (?P<colon>:)
    | (?P<quoted>'[^'\n]*')
    | (?P<foreign>&&|\|\||[^\x00-\x7f]+|.)
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_UNIT = re.compile(UNIT_PATTERN)
_GLUED_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:/[A-Za-z]+)?")
_INDENTED_BODY = re.compile(r"[^\n]*\n(?:[ \t\r]*\n)*[ \t]+[^\s}]")
_BRACKET = re.compile(r"[\[({\])}]")


@dataclass(frozen=True, slots=True)
class Opener:
    """An open bracket: its character, offset, place among the tokens, and the depth outside it."""

    char: str
    offset: int
    index: int
    depth: int


@dataclass(slots=True)
class Lexed:
    """Tokens and comments; doc comments by the offset of the word they precede, strings' parts by their start."""

    tokens: list[Token] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    docs: dict[int, str] = field(default_factory=dict)
    strings: dict[int, tuple[str | Lexed, ...]] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)


def lex(source: Source) -> Lexed:
    """The tokens of a whole file."""
    lexer = Lexer(source, Lexed())
    lexer.run(1 if source.text.startswith("\ufeff") else 0)
    if not lexer.unclosed_at_end:
        return lexer.lexed
    # Only a file whose brackets do not balance is worth the guess that an unindented `assert` ends a block.
    lexer = Lexer(source, Lexed(), distrust_layout=False)
    lexer.run(1 if source.text.startswith("\ufeff") else 0)
    return lexer.lexed


def lex_expression(source: Source) -> Lexed:
    """The tokens of a text that holds one expression; newlines do not count."""
    lexer = Lexer(source, Lexed(), newlines=False)
    lexer.run(0)
    return lexer.lexed


class Lexer:
    """One pass over a source, or over one interpolation of it (`hole`), which ends at its closing brace."""

    def __init__(
        self,
        source: Source,
        lexed: Lexed,
        *,
        distrust_layout: bool = True,
        newlines: bool = True,
        hole: bool = False,
        one_line: bool = False,
        outer_brackets: int = 0,
        outer_depth: int = 0,
    ) -> None:
        self.source = source
        self.text = source.text
        self.lexed = lexed
        self.tokens = lexed.tokens
        self.distrust_layout = distrust_layout
        self.newlines = newlines
        self.hole = hole
        self.one_line = one_line
        self.outer_brackets = outer_brackets
        self.outer_depth = outer_depth
        self.depth = outer_depth
        self.stack: list[Opener] = []
        self.doc: list[str] = []
        self.doc_end = 0
        self.suspect: int | None = None
        self.begin = 0
        self.done = False
        self.failed = False
        self.text_lost = False
        self.unclosed_at_end = False

    def run(self, position: int) -> int:
        """Lex from an offset; the offset after the last token."""
        self.begin = position
        match = _TOKEN.match
        text = self.text
        handlers = self._handlers()
        while not self.done:
            found = match(text, position)
            assert found is not None
            assert found.lastgroup is not None
            assert found.lastindex is not None
            position = handlers[found.lastgroup](found.start(found.lastindex), found.end())
        return position

    def _handlers(self) -> dict[str, Callable[[int, int], int]]:
        return {
            "word": self._word,
            "newline": self._newline,
            "number": self._number,
            "equal": self._equal,
            "operator": self._operator,
            "comma": self._comma,
            "open": self._open,
            "close": self._close,
            "comment": self._comment,
            "string": self._string,
            "colon": self._colon,
            "quoted": self._quoted,
            "foreign": self._foreign,
            "end": self._end,
        }

    def _add(self, kind: str, start: int, end: int) -> int:
        self.tokens.append((kind, start, end))
        return end

    def _span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def _fault(self, start: int, end: int, finding: Diagnostic) -> int:
        self.lexed.findings.append(finding)
        return self._add("FAULT", start, end)

    # Words, numbers and marks

    def _word(self, start: int, end: int) -> int:
        if self.stack and self.text[start - 1] == "\n" and self._starts_item(start):
            self._close_all()
        if self.doc:
            self.lexed.docs[start] = "\n".join(self.doc)
            self.doc = []
        kind = WORDS.get(self.text[start:end], "NAME")
        self.tokens.append((kind, start, end))
        if kind in _NESTING_WORDS:
            self._deepen(start, end)
        return end

    def _starts_item(self, start: int) -> bool:
        item = TOP_ITEM.match(self.text, start)
        if item is None:
            return False
        if self.text_lost or not self.distrust_layout:
            return True
        # Layout means nothing by itself: only a block whose entries are indented says that column 1 is outside of it.
        outermost = self.stack[0]
        indented = outermost.char != "{" or _INDENTED_BODY.match(self.text, outermost.offset) is not None
        return indented and not self.text.startswith("assert", start)

    def _number(self, start: int, end: int) -> int:
        unit = _UNIT.match(self.text, end)
        if unit is not None:
            return self._add("NUMBER", start, unit.end())
        word = _GLUED_WORD.match(self.text, end)
        if word is None:
            return self._add("NUMBER", start, end)
        digits, unit_span = self.text[start:end], self._span(end, word.end())
        return self._fault(start, word.end(), syntax_errors.unknown_unit(unit_span, digits))

    def _operator(self, start: int, end: int) -> int:
        self.tokens.append((_OPERATORS[self.text[start:end]], start, end))
        self._deepen(start, end)
        return end

    def _deepen(self, start: int, end: int) -> None:
        self.depth += 1
        if self.depth == MAX_DEPTH:
            self._fault(start, end, syntax_errors.too_deep(self._span(start, end), MAX_DEPTH, "operators"))

    def _colon(self, start: int, end: int) -> int:
        return self._add("COLON", start, end)

    def _foreign(self, start: int, end: int) -> int:
        return self._add("FOREIGN", start, end)

    def _quoted(self, start: int, end: int) -> int:
        return self._fault(start, end, syntax_errors.single_quotes(self._span(start, end)))

    def _comment(self, start: int, end: int) -> int:
        text = self.text[start:end].rstrip("\r")
        self.lexed.comments.append(Comment(text, self._span(start, start + len(text))))
        line_start = self.text.rfind("\n", 0, start) + 1
        if text.startswith("##") and not text.startswith("###") and not self.text[line_start:start].strip():
            if self.text.count("\n", self.doc_end, start) > 1:
                self.doc = []
            self.doc.append(text[2:].removeprefix(" "))
            self.doc_end = start
        return end

    # Separators

    def _newline(self, start: int, end: int) -> int:
        if self.one_line:
            return self._leave_hole(start)
        last = self.tokens[-1][0] if self.tokens else "NEWLINE"
        inside = self.stack[-1].char if self.stack else ""
        if inside in ("[", "(") or not (inside or self.newlines):
            return end
        if last not in ("NEWLINE", "LBRACE") and not (last == "COMMA" and inside):
            kind = "BREAK" if self.text.startswith("{", end) else "NEWLINE"
            self._add(kind, start, start + 1)
            self._start_entry()
        return end

    def _comma(self, start: int, end: int) -> int:
        self._start_entry()
        return self._add("COMMA", start, end)

    def _start_entry(self) -> None:
        self.depth = self.stack[-1].depth + 1 if self.stack else self.outer_depth

    def _equal(self, start: int, end: int) -> int:
        # `name =` at the start of a line is never inside brackets: one of them was not closed.
        if self.stack and self.stack[-1].char != "{" and self.tokens[-1][0] in ("NAME", *WORDS.values()):
            word = self.tokens[-1]
            line_start = self.text.rfind("\n", 0, word[1]) + 1
            if self.stack[-1].offset < line_start and not self.text[line_start : word[1]].strip():
                self._drop_brackets()
                self._add("NEWLINE", line_start - 1, line_start)
                self.tokens.append(word)
        return self._add("EQUAL", start, end)

    # Brackets

    def _open(self, start: int, end: int) -> int:
        if self.outer_brackets + len(self.stack) >= MAX_BRACKETS:
            return self._too_many_brackets(start)
        char = self.text[start]
        self.stack.append(Opener(char, start, len(self.tokens), self.depth))
        self.depth += 1
        self.doc = [] if char != "{" else self.doc
        return self._add(_OPEN[char], start, end)

    def _close(self, start: int, end: int) -> int:
        char = self.text[start]
        self.doc = []
        if char == "}" and self._ends_block(start):
            self._drop_brackets()
        if not self.stack:
            if self.hole and char == "}":
                self._add("END", start, start)
                self.done = True
                return end
            return self._add("STRAY", start, end)
        opener = self.stack[-1]
        if CLOSER[opener.char] == char:
            return self._pop(opener, start, end)
        if opener.char == "{":
            return self._add("STRAY", start, end)
        self.stack.pop()
        self.depth = opener.depth + 1
        opened = self._span(opener.offset, opener.offset + 1)
        self.lexed.findings.append(syntax_errors.mismatched_bracket(self._span(start, end), opened))
        self._add("MISMATCH", start, end)
        return self._add(_CLOSE[CLOSER[opener.char]], end, end)

    def _pop(self, opener: Opener, start: int, end: int) -> int:
        self.stack.pop()
        self.depth = opener.depth + 1
        if opener.char == "{" and self._indent(start) is not None:
            opened_at = self._line_indent(opener.offset)
            if len(self._indent(start) or "") < len(opened_at):
                self.suspect = opener.offset
        return self._add(_CLOSE[CLOSER[opener.char]], start, end)

    def _indent(self, offset: int) -> str | None:
        """The blanks before an offset that is the first of its line."""
        before = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return before if not before.strip() else None

    def _line_indent(self, offset: int) -> str:
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return line[: len(line) - len(line.lstrip())]

    def _ends_block(self, start: int) -> bool:
        """Whether a `}` closes a block, or the interpolation, with brackets still open inside it."""
        if not self.stack or self.stack[-1].char == "{" or self._is_typing_slip(start):
            return False
        return self.hole or any(opener.char == "{" for opener in self.stack)

    def _is_typing_slip(self, start: int) -> bool:
        """Whether a `}` stands for the bracket that is open: both on one line, the block opened on an earlier one."""
        line_start = self.text.rfind("\n", 0, start) + 1
        braces = [opener.offset for opener in self.stack if opener.char == "{"]
        return bool(braces) and braces[-1] < line_start <= self.stack[-1].offset and self._indent(start) is None

    def _drop_brackets(self) -> None:
        """Give up the brackets above the innermost brace: one finding, and a FAULT in their place."""
        outermost = self.stack[-1]
        while self.stack and self.stack[-1].char != "{":
            outermost = self.stack.pop()
        del self.tokens[outermost.index :]
        self.depth = outermost.depth
        opened = self._span(outermost.offset, outermost.offset + 1)
        self._fault(outermost.offset, outermost.offset + 1, syntax_errors.unclosed_bracket(opened))

    def _close_all(self) -> None:
        """Close every open bracket before an item, with one finding."""
        self._report_unclosed()
        # Before the line end, so that no token of the item starts where these do.
        line_end = self.tokens.pop() if self.tokens[-1][0] == "NEWLINE" else None
        at = line_end[1] if line_end else self.tokens[-1][2]
        while self.stack:
            opener = self.stack.pop()
            if opener.char == "{":
                self._add("RBRACE", at, at)
            else:
                del self.tokens[opener.index :]
                self._add("FAULT", opener.offset, opener.offset + 1)
        self._add("NEWLINE", at, at)
        self.depth = self.outer_depth

    def _report_unclosed(self) -> None:
        if self.text_lost:
            self.text_lost = False
            return
        innermost = self.stack[-1].offset
        if self.suspect is not None and self.suspect > innermost:
            innermost = self.suspect
        outer = [self._span(opener.offset, opener.offset + 1) for opener in self.stack if opener.offset != innermost]
        certain = self.suspect == innermost or len(self.stack) == 1
        opened = self._span(innermost, innermost + 1)
        self.lexed.findings.append(syntax_errors.unclosed_bracket(opened, () if certain else tuple(outer)))
        self.suspect = None

    def _too_many_brackets(self, start: int) -> int:
        """Leave out the whole item, whose depth no reader can follow."""
        finding = syntax_errors.too_deep(self._span(start, start + 1), MAX_BRACKETS, "brackets")
        if self.stack:
            del self.tokens[self.stack[0].index :]
        self._fault(start, start + 1, finding)
        level = len(self.stack) + 1
        self.stack.clear()
        self.failed = self.done = self.hole
        for bracket in _BRACKET.finditer(self.text, start + 1):
            level += 1 if bracket.group() in CLOSER else -1
            if level == 0:
                return bracket.end()
        return len(self.text)

    # Strings

    def _string(self, start: int, end: int) -> int:
        scanner: StringScanner[Lexed] = StringScanner(self.source, self._scan_hole, self.lexed.findings)
        scanned = scanner.scan(start)
        if scanned.parts is None:
            self.text_lost = bool(self.stack) and (scanned.end >= len(self.text) or "\n" in self.text[start : scanned.end])
            self.failed = self.done = self.hole
            self._add("FAULT", start, scanned.end)
            self._close_lost(start, scanned.end)
            return scanned.end
        self.lexed.strings[start] = scanned.parts
        kind = "STRING" if all(isinstance(part, str) for part in scanned.parts) else "TEMPLATE"
        return self._add(kind, start, scanned.end)

    def _close_lost(self, start: int, end: int) -> None:
        """Close the brackets of this line whose closing one lies in the text of a string that is at fault."""
        line_start = self.text.rfind("\n", 0, start) + 1
        at_line_end = self.text.startswith(("\n", "\r"), end) or end == len(self.text)
        lost = self.text[start:end]
        while at_line_end and self.stack and self.stack[-1].offset >= line_start:
            opener = self.stack[-1]
            if CLOSER[opener.char] not in lost:
                return
            self._pop(opener, end, end)

    def _scan_hole(self, start: int, one_line: bool) -> tuple[Lexed, int] | None:
        shared = self.lexed
        inner = Lexer(
            self.source,
            Lexed([], shared.comments, {}, shared.strings, shared.findings),
            newlines=False,
            hole=True,
            one_line=one_line or self.one_line,
            outer_brackets=self.outer_brackets + len(self.stack) + 1,
            outer_depth=self.depth + 1,
        )
        if inner.outer_brackets > MAX_BRACKETS:
            self.lexed.findings.append(syntax_errors.too_deep(self._span(start - 2, start), MAX_BRACKETS, "brackets"))
            return None
        end = inner.run(start)
        return None if inner.failed else (inner.lexed, end)

    def _leave_hole(self, position: int) -> int:
        """Meet the end of the line, or of the file, inside an interpolation."""
        opened = self._span(self.begin - 2, self.begin)
        self.lexed.findings.append(syntax_errors.unclosed_interpolation(opened))
        self.failed = self.done = True
        return position

    def _end(self, start: int, _end: int) -> int:
        if self.hole:
            return self._leave_hole(start)
        if self.stack:
            self.unclosed_at_end = self.distrust_layout and self.newlines
            self._close_all()
        self._add("END", start, start)
        self.done = True
        return start
