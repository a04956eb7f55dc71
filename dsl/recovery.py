"""Goes on after a syntax fault: one finding, then the next entry of the block or the next top-level item."""

from __future__ import annotations

from dataclasses import dataclass

from . import syntax_errors
from .diagnostics import Diagnostic
from .lr import Stack
from .place import Place
from .source import Source, Span
from .table import ACTIONS, RULES
from .tokens import Token
from .unexpected import describe

_OPENERS = frozenset(("LBRACE", "LBRACK", "LPAREN"))
_CLOSERS = frozenset(("RBRACE", "RBRACK", "RPAREN"))
# What follows the name of a field, so that `name` and one of these look like the start of an entry.
_AFTER_NAME = frozenset(("EQUAL", "COLON", "LBRACE"))

# Tokens between a fault and a bracket on its line; a limit, so that a long line takes no longer than many short ones.
_LOOK_AHEAD = 64


@dataclass(frozen=True, slots=True)
class Recovery:
    """Recovery over one token list, whose brackets the lexer has balanced; `unclosed` are the lines where it had to."""

    source: Source
    tokens: list[Token]
    findings: list[Diagnostic]
    unclosed: frozenset[int]

    def resume(self, stack: Stack, index: int) -> int | None:
        """Report the token at `index`, drop the entry it stands in, and give the index of the next; None at the end."""
        if self.tokens[index][0] == "STRAY" and stack.accepts(self.tokens[index + 1][0]):
            self.findings.append(syntax_errors.stray_bracket(Span(self.source, *self.tokens[index][1:])))
            return index + 1
        depth = _entry_depth(stack)
        in_block = depth is not None and "entry" in ACTIONS[stack.states[depth]]
        first = self._first_token(stack, depth or 0, index)
        finding = describe(Place(self.source, self.tokens, index, first, in_block, stack.accepts))
        resumed = self._next_entry(first, index, in_block)
        kinds = {kind for kind, _, _ in self.tokens[index : resumed + 1]}
        if self.tokens[index][0] != "FAULT" and "BROKEN" not in kinds and not self._is_unbalanced(index):
            self.findings.append(finding)
        if depth is None:
            return None
        if in_block and self.tokens[index][0] == "NEWLINE" and index == first + 1:
            resumed = self._after_deeper(self._indent(first), resumed)
        if not in_block:
            resumed = self._after_fields(resumed)
        stack.truncate(depth)
        return resumed

    def _is_unbalanced(self, index: int) -> bool:
        """Whether a bracket on the line of a token was reported already."""
        return bool(self.unclosed) and self.source.line_of(self.tokens[index][1]) in self.unclosed

    def _first_token(self, stack: Stack, depth: int, index: int) -> int:
        if depth >= len(stack.offsets):
            return index
        first = index
        while first > 0 and self.tokens[first - 1][1] >= stack.offsets[depth]:
            first -= 1
        return first

    def _next_entry(self, first: int, index: int, in_block: bool) -> int:
        index = self._after_stray(index)
        kinds = [kind for kind, _, _ in self.tokens[first:index]]
        level = sum((kind in _OPENERS) - (kind in _CLOSERS) for kind in kinds)
        while (kind := self.tokens[index][0]) != "END":
            if level == 0 and in_block and kind == "RBRACE":
                return index
            if level == 0 and self._separates(index, in_block):
                return index + 1
            level += (kind in _OPENERS) - (kind in _CLOSERS)
            index += 1
        return index

    def _after_stray(self, index: int) -> int:
        """Past a bracket on the rest of the line that closes nothing: its opening one is what is missing."""
        level = 0
        for ahead in range(index, min(index + _LOOK_AHEAD, len(self.tokens))):
            kind = self.tokens[ahead][0]
            level += (kind in _OPENERS) - (kind in _CLOSERS)
            if kind == "STRAY":
                return ahead + 1
            if kind in ("NEWLINE", "END") or level < 0:
                break
        return index

    def _separates(self, index: int, in_block: bool) -> bool:
        kind, following = self.tokens[index][0], self.tokens[min(index + 1, len(self.tokens) - 1)][0]
        if kind == "COMMA":
            return in_block and (following in ("RBRACE", "ASSERT") or self._names_field(index + 1))
        # A block on a line of its own belongs to the entry before it.
        return kind == "NEWLINE" and following != "LBRACE"

    def _names_field(self, index: int) -> bool:
        _, start, end = self.tokens[index]
        named = self.source.text[start:end].isidentifier()
        return named and self.tokens[min(index + 1, len(self.tokens) - 1)][0] in _AFTER_NAME

    def _after_deeper(self, indent: int, index: int) -> int:
        """Past the lines that are indented further than an entry of one word: its brace is missing, and they are its block."""
        while self.tokens[index][0] != "END" and self._indent(index) > indent:
            index = self._next_entry(index, index, True)
            if self.tokens[index][0] == "RBRACE":
                break
        stray = self.tokens[index][0] == "STRAY"
        return index + stray + (stray and self.tokens[index + 1][0] == "NEWLINE")

    def _indent(self, index: int) -> int:
        start = self.tokens[index][1]
        before = self.source.text[self.source.text.rfind("\n", 0, start) + 1 : start]
        return len(before) - len(before.lstrip())

    def _after_fields(self, index: int) -> int:
        """Past the lines that look like fields, and their closing brace: one fault put them all outside."""
        while self.tokens[index][0] == "STRAY" or self._names_field(index):
            index = self._next_entry(index, index, False)
        return index


def _entry_depth(stack: Stack) -> int | None:
    """How many values lie below the innermost entry or item, None in a lone expression."""
    outside = len(stack.states)
    # A block just closed is not reduced yet where its follower does not fit; its inside is over all the same.
    completed = {RULES[~action] for action in ACTIONS[stack.states[-1]].values() if action < 0}
    for symbol, size, _ in completed:
        outside -= size if symbol == "block" else 0
    for depth in reversed(range(outside)):
        if not ACTIONS[stack.states[depth]].keys().isdisjoint(("entry", "item")):
            return depth
    return None
