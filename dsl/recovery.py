"""Goes on after a syntax fault: one finding, then the next entry of the block or the next top-level item."""

from __future__ import annotations

from dataclasses import dataclass

from .diagnostics import Diagnostic
from .lr import Stack
from .place import Place
from .source import Source
from .syntax_errors import FIELD_OUTSIDE
from .table import ACTIONS, RULES
from .tokens import Token
from .unexpected import describe

_OPENERS = frozenset(("LBRACE", "LBRACK", "LPAREN"))
_CLOSERS = frozenset(("RBRACE", "RBRACK", "RPAREN"))
# What follows the name of a field, so that `name` and one of these look like the start of an entry.
_AFTER_NAME = frozenset(("EQUAL", "COLON", "LBRACE"))


@dataclass(frozen=True, slots=True)
class Recovery:
    """Recovery over one token list, whose brackets the lexer has balanced."""

    source: Source
    tokens: list[Token]
    findings: list[Diagnostic]

    def resume(self, stack: Stack, index: int) -> int | None:
        """Report the token at `index`, drop the entry it stands in, and give the index of the next; None at the end."""
        depth = _entry_depth(stack)
        in_block = depth is not None and "entry" in ACTIONS[stack.states[depth]]
        first = self._first_token(stack, depth or 0, index)
        finding = describe(Place(self.source, self.tokens, index, first, in_block, stack.accepts))
        resumed = self._next_entry(first, index, in_block)
        kinds = {kind for kind, _, _ in self.tokens[index : resumed + 1]}
        if self.tokens[index][0] != "FAULT" and "BROKEN" not in kinds:
            self.findings.append(finding)
        if depth is None:
            return None
        if finding.code == FIELD_OUTSIDE:
            resumed = self._after_fields(resumed)
        stack.truncate(depth)
        return resumed

    def _first_token(self, stack: Stack, depth: int, index: int) -> int:
        if depth >= len(stack.offsets):
            return index
        first = index
        while first > 0 and self.tokens[first - 1][1] >= stack.offsets[depth]:
            first -= 1
        return first

    def _next_entry(self, first: int, index: int, in_block: bool) -> int:
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
