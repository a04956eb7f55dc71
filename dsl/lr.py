"""A shift-reduce driver over the generated table; values are made as rules are reduced, without a tree between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .source import Source, Span
from .table import ACTIONS, RULES, STARTS
from .tokens import Token

Builder = Callable[..., object]


@dataclass(slots=True)
class Stack:
    """States, and for each but the first the value and the offset at which it starts."""

    states: list[int]
    values: list[object] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    def truncate(self, depth: int) -> None:
        """Forget all but the first `depth` values."""
        del self.states[depth + 1 :], self.values[depth:], self.offsets[depth:]

    def accepts(self, kind: str) -> bool:
        """Whether a token of this kind could come next."""
        states = list(self.states)
        while (action := ACTIONS[states[-1]].get(kind)) is not None:
            if action >= 0:
                return True
            symbol, size, _ = RULES[~action]
            del states[len(states) - size :]
            states.append(ACTIONS[states[-1]][symbol])
        return False


# Given the stack and the index of a token that does not fit: the index to go on from, or None to give up.
Recovery = Callable[[Stack, int], int | None]


def run(start: str, source: Source, tokens: list[Token], builders: dict[str, Builder], recover: Recovery) -> object | None:
    """The value of a token list that ends with END, or None where recovery gave up."""
    stack = Stack([STARTS[start]])
    states, values, offsets = stack.states, stack.values, stack.offsets
    text = source.text
    index = last_end = 0
    while True:
        kind, begin, end = tokens[index]
        action = ACTIONS[states[-1]].get(kind)
        if action is None:
            resumed = recover(stack, index)
            if resumed is None:
                return None
            index = resumed
        elif action < 0:
            symbol, size, builder = RULES[~action]
            if not builder:
                states[-1] = ACTIONS[states[-2]][symbol]
                continue
            kept = len(values) - size
            offset = offsets[kept] if size else last_end
            values[kept:] = (builders[builder](Span(source, offset, last_end), *values[kept:]),)
            del states[kept + 1 :]
            states.append(ACTIONS[states[-1]][symbol])
            offsets[kept:] = (offset,)
        elif kind == "END":
            return values[-1]
        else:
            states.append(action)
            values.append(text[begin:end])
            offsets.append(begin)
            last_end = end
            index += 1
