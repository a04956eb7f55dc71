"""Says whether a source is sound without making its tree: what a formatter needs to know, much quicker than parsing."""

from __future__ import annotations

from .table import ACTIONS, RULES, STARTS
from .tokens import Lexed, Token

# What the parser understands and reports all the same: see build.py.
_REPORTED = frozenset(
    (
        *("assigned_block", "colon_field", "detached_block"),
        *("colon_let", "assigned_declaration", "colon_declaration", "detached_declaration"),
    )
)


def is_sound(lexed: Lexed) -> bool:
    """Whether the tokens of a whole file parse without a finding, those inside its strings too."""
    holes = [part.tokens for parts in lexed.strings.values() for part in parts if isinstance(part, Lexed)]
    return not lexed.findings and _accepts("file", lexed.tokens) and all(_accepts("expression", hole) for hole in holes)


def _accepts(start: str, tokens: list[Token]) -> bool:
    states = [STARTS[start]]
    index = 0
    while True:
        kind = tokens[index][0]
        action = ACTIONS[states[-1]].get(kind)
        if action is None:
            return False
        if action < 0:
            symbol, size, builder = RULES[~action]
            if builder in _REPORTED:
                return False
            del states[len(states) - size :]
            states.append(ACTIONS[states[-1]][symbol])
        elif kind == "END":
            return True
        else:
            states.append(action)
            index += 1
