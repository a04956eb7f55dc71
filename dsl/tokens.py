"""Tokens and comments, and what the lexer makes of a source."""

from __future__ import annotations

from dataclasses import dataclass, field

from .diagnostics import Diagnostic
from .source import Span

# Kind, start, end. Kinds are the terminals of train.lark, and END, FOREIGN (a character without meaning), STRAY (a
# closing bracket too many), FAULT (what the lexer has reported), BROKEN (the same, and what stands before it in its
# entry may only look wrong because of it).
Token = tuple[str, int, int]

# Brackets, and all that can nest in one expression: both bound the depth of the tree, and so every recursion over it.
MAX_BRACKETS = 64
MAX_DEPTH = 200

OPEN = {"[": "LBRACK", "(": "LPAREN", "{": "LBRACE"}
CLOSE = {"]": "RBRACK", ")": "RPAREN", "}": "RBRACE"}
CLOSER = {"[": "]", "(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class Comment:
    """A `#` or `##` comment, its marks included."""

    text: str
    span: Span


@dataclass(slots=True)
class Lexed:
    """Tokens and comments; doc comments by the offset of the word they precede, strings' parts by their start."""

    tokens: list[Token] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    docs: dict[int, str] = field(default_factory=dict)
    strings: dict[int, tuple[str | Lexed, ...]] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
