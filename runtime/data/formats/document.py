"""A text, and which parts of it are learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..broken import BrokenRowError


@dataclass(frozen=True, slots=True)
class Document:
    """`learnt` are the parts, from character to character, whose tokens are targets; None: all of it.

    With `begins` the tokenizer puts in front what it begins texts with; with `ends` the end-of-text token follows, learnt if the
    last part is.
    """

    text: str
    learnt: tuple[tuple[int, int], ...] | None = None
    begins: bool = False
    ends: bool = True


@dataclass(frozen=True, slots=True)
class Template:
    """How conversations become text: a Jinja template, the special tokens that it may name, and whether only answers are learnt."""

    source: str
    special_tokens: dict[str, Any]
    completions_only: bool


def text_of(values: dict[str, Any], column: str) -> str:
    """The text in a column."""
    found = value_of(values, column)
    if not isinstance(found, str):
        raise BrokenRowError(f": column `{column}` holds {shown(found)}, not text")
    return found


def value_of(values: dict[str, Any], column: str) -> Any:
    """What a column holds."""
    if column not in values:
        names = ", ".join(f"`{name}`" for name in values) or "no columns"
        raise BrokenRowError(f" has no column `{column}`: it has {names}")
    return values[column]


def shown(value: Any) -> str:
    """A value, not too long for a sentence."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
