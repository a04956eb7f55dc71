"""Finds the name that was probably meant: the did-you-mean of every message."""

from __future__ import annotations

from collections.abc import Iterable

# Nobody writes a longer name by hand.
_LONGEST = 200


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name` most probably misspells, if one is near enough; another case counts as nearest."""
    folded = name.casefold()
    best: tuple[int, str] | None = None
    for candidate in dict.fromkeys(candidates):
        if candidate.casefold() == folded:
            return candidate
        limit = _cutoff(max(len(name), len(candidate)))
        distance = _within(limit if best is None else min(limit, best[0] - 1), folded, candidate.casefold())
        if distance is not None:
            best = (distance, candidate)
    return best[1] if best else None


def certain(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name` means beyond doubt: the only one that differs in case alone, or else by a single edit.

    A digit makes another thing: `llama3_9b` may be a model that is not here, so no candidate with other digits is certain.
    """
    names = list(dict.fromkeys(candidates))
    same = [candidate for candidate in names if candidate.casefold() == name.casefold()]
    near = same or [candidate for candidate in names if _within(1, name.casefold(), candidate.casefold()) == 1]
    if len(near) != 1 or _digits(near[0]) != _digits(name):
        return None
    # One letter of three makes too many other words.
    return near[0] if same or max(len(name), len(near[0])) > 3 else None


def edit_distance(left: str, right: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn one word into the other."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _within(limit: int, left: str, right: str) -> int | None:
    """The edit distance, where it is no more than a limit and the words are short enough to be somebody's."""
    # Most pairs differ in length by more than the limit, and a word without end would take a time without end.
    if abs(len(left) - len(right)) > limit or max(len(left), len(right)) > _LONGEST:
        return None
    distance = edit_distance(left, right)
    return distance if distance <= limit else None


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))


def _cutoff(length: int) -> int:
    # Two edits of a four-letter word leave half of it; of two or three letters only one may be wrong.
    if length < 2:
        return 0
    return 1 if length <= 3 else max(2, length // 3)
