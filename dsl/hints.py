"""Ways out for tokens that only do not fit: what a user of another language probably meant."""

from __future__ import annotations

from .place import Place
from .suggest import closest

_ITEM_WORDS = ("import", "param", "let", "assert")
_CONDITIONAL = "a condition is written `if c then a else b`"


def hint(place: Place) -> str | None:
    """Help for a token that does not fit, where the place tells what was meant."""
    for guess in (_conditional, _name, _digits, _item_word):
        if (found := guess(place)) is not None:
            return found
    return None


def _conditional(place: Place) -> str | None:
    # Where a name fits, `then` and `else` do too; after a condition, `else` is the assertion's own.
    parts = ("THEN",) if place.tokens[place.first][0] == "ASSERT" else ("THEN", "ELSE")
    inside = not place.accepts("NAME") and any(map(place.accepts, parts))
    return _CONDITIONAL if inside or place.kind() == "IF" else None


def _name(place: Place) -> str | None:
    first = place.index == place.first
    if place.kind() == "DOT" and place.in_block and place.index == place.first + 1:
        return f"set a field of a nested record with `{place.text(-1)} {{ ... }}`"
    if place.kind() == "STRING" and place.in_block and first:
        return "the name of a field stands without quotes"
    if place.kind() == "TEMPLATE" and place.kind(-1) == "IMPORT":
        return "the path of an import is a plain string"
    return None


def _digits(place: Place) -> str | None:
    grouped = place.kind() == place.kind(-1) == "NUMBER" and len(place.text()) == 3
    return "digits are grouped with `_`, as in `1_000`" if grouped else None


def _item_word(place: Place) -> str | None:
    if place.in_block or place.tokens[place.first][0] != "NAME":
        return None
    _, start, end = place.tokens[place.first]
    meant = closest(place.source.text[start:end], _ITEM_WORDS)
    return f"did you mean `{meant}`?" if meant else None
