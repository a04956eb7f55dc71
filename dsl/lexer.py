"""Cuts a source into tokens and comments, and matches its brackets, so that the parser always sees balanced ones.

What cannot be a token becomes a finding and a FAULT token, which the parser skips without a second finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from . import syntax_errors
from .brackets import Brackets, Imbalance
from .diagnostics import Diagnostic
from .source import Source, Span
from .string_literals import StringScanner
from .tokens import MAX_BRACKETS, Comment, Lexed
from .unit_words import DIGITS_PATTERN, UNIT_PATTERN

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

_TOKEN = re.compile(
    rf"""[ \t\r]*(?:
      (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<newline>\n[ \t\r\n]*)
    | (?P<number>{DIGITS_PATTERN})
    | (?P<foreign>=>|->|:=|<>|\*\*|[-+*/]=(?!=)|&&|\|\|)
    | (?P<equal>=(?!=))
    | (?P<operator>[=!<>]=|//|[-+*/%<>.])
    | (?P<comma>,)
    | (?P<open>[\[({{])
    | (?P<close>[\])}}])
    | (?P<comment>\#[^\n]*)
    | (?P<string>")
    | (?P<colon>:)
    | (?P<quoted>'[^'\n]*')
    | (?P<unknown>[^\x00-\x7f]+|.)
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_UNIT = re.compile(UNIT_PATTERN)
_GLUED_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:/[A-Za-z]+)?")


def lex(source: Source) -> Lexed:
    """The tokens of a whole file."""
    lexer = Lexer(source, Lexed())
    begin = 1 if source.text.startswith("\ufeff") else 0
    lexer.run(begin)
    if lexer.brackets.found == Imbalance():
        return lexer.lexed
    # Only a file whose braces do not balance is worth a guess by its layout.
    lexer = Lexer(source, Lexed(), imbalance=lexer.brackets.found)
    lexer.run(begin)
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
        imbalance: Imbalance | None = None,
        newlines: bool = True,
        hole: bool = False,
        one_line: bool = False,
        outer: int = 0,
        outer_depth: int = 0,
    ) -> None:
        self.source = source
        self.text = source.text
        self.lexed = lexed
        self.tokens = lexed.tokens
        self.brackets = Brackets(source, lexed, outer, outer_depth, imbalance)
        self.newlines = newlines
        self.hole = hole
        self.one_line = one_line
        self.doc: list[str] = []
        self.doc_end = 0
        self.begin = 0
        self.done = False
        self.failed = False

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
            "unknown": self._foreign,
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
        brackets = self.brackets
        if brackets.stack and self.text[start - 1] == "\n" and brackets.is_left_at(start):
            brackets.close_all()
        if self.doc:
            self.lexed.docs[start] = "\n".join(self.doc)
            self.doc = []
        kind = WORDS.get(self.text[start:end], "NAME")
        self.tokens.append((kind, start, end))
        if kind in _NESTING_WORDS:
            brackets.deepen(start, end)
        return end

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
        self.brackets.deepen(start, end)
        return end

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
        self.brackets.close_left(end)
        last = self.tokens[-1][0] if self.tokens else "NEWLINE"
        inside = self.brackets.inside
        if inside in ("[", "(") or not (inside or self.newlines):
            return end
        if last not in ("NEWLINE", "LBRACE") and not (last == "COMMA" and inside):
            # After a closing brace the entry is complete, whatever follows.
            kind = "BREAK" if self.text.startswith("{", end) and last != "RBRACE" else "NEWLINE"
            self._add(kind, start, start + 1)
            self.brackets.next_entry()
        return end

    def _comma(self, start: int, end: int) -> int:
        self.brackets.next_entry()
        return self._add("COMMA", start, end)

    def _equal(self, start: int, end: int) -> int:
        # `name =` at the start of a line is never inside brackets: one of them was not closed.
        if self.brackets.inside in ("[", "(") and self.tokens[-1][0] in ("NAME", *WORDS.values()):
            word = self.tokens[-1]
            line_start = self.text.rfind("\n", 0, word[1]) + 1
            if self.brackets.stack[-1].offset < line_start and not self.text[line_start : word[1]].strip():
                self.brackets.drop()
                self._add("NEWLINE", line_start - 1, line_start)
                self.tokens.append(word)
        return self._add("EQUAL", start, end)

    # Brackets

    def _open(self, start: int, end: int) -> int:
        if self.brackets.is_full():
            self.failed = self.done = self.hole
            return self.brackets.skip_too_many(start)
        if self.text[start] != "{":
            self.doc = []
        self.brackets.open(start)
        return end

    def _close(self, start: int, end: int) -> int:
        self.doc = []
        if not self.brackets.close(start, self.hole):
            self.done = self.hole and self.text[start] == "}"
            self._add("END" if self.done else "STRAY", start, start if self.done else end)
        return end

    # Strings

    def _string(self, start: int, end: int) -> int:
        scanner: StringScanner[Lexed] = StringScanner(self.source, self._scan_hole, self.lexed.findings, start)
        scanned = scanner.scan()
        if scanned.parts is None:
            return self._faulty_string(start, scanned.end, scanned.unclosed)
        self.lexed.strings[start] = scanned.parts
        kind = "STRING" if all(isinstance(part, str) for part in scanned.parts) else "TEMPLATE"
        return self._add(kind, start, scanned.end)

    def _faulty_string(self, start: int, end: int, unclosed: bool) -> int:
        if unclosed and self.one_line:
            return self._leave_hole(end)
        if unclosed:
            quotes = 3 if self.text.startswith('"""', start) else 1
            self.lexed.findings.append(syntax_errors.unclosed_string(self._span(start, start + quotes)))
        self.failed = self.done = self.hole
        self._add("BROKEN" if unclosed else "FAULT", start, end)
        self.brackets.close_lost(start, end)
        if self.text[end - 1] == "\n":
            self._add("NEWLINE", end - 1, end)
        return end

    def _scan_hole(self, start: int, one_line: bool) -> tuple[Lexed, int] | None:
        shared = self.lexed
        inner = Lexer(
            self.source,
            Lexed([], shared.comments, {}, shared.strings, shared.findings),
            newlines=False,
            hole=True,
            one_line=one_line or self.one_line,
            outer=self.brackets.outer + len(self.brackets.stack) + 1,
            outer_depth=self.brackets.depth + 1,
        )
        if self.brackets.is_full():
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
        if self.brackets.stack:
            self.brackets.close_all()
        self._add("END", start, start)
        self.done = True
        return start
