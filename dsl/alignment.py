"""Decides which entries of a group stay on one line, and aligns these in runs: `=` and `{` in one column, comments in another.

A run ends at a blank line, at a comment line, and at an entry of several lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .layout import Entry


class Row(NamedTuple):
    """How an entry is written: `text` is all of it on one line, None where it takes several.

    `shift` is by how much alignment would have moved it; what made it too long is then broken.
    """

    text: str | None
    shift: int


def align(entries: Sequence[Entry], room: int, comma: str) -> list[Row]:
    """A row for each entry of a group; `room` is how many columns a line has, `comma` what ends each."""
    fits = [entry.flat is not None and (entry.is_pinned or entry.reach <= room) for entry in entries]
    shifts = [0] * len(entries)
    while True:
        for run in _runs(entries, fits):
            for index, shift in _shifts(entries, run):
                shifts[index] = shift
        over = [index for index, entry in enumerate(entries) if fits[index] and _is_over(entry, shifts[index], room)]
        if not over:
            break
        # Out of the run, they no longer widen it: shifts only ever shrink, so this ends.
        for index in over:
            fits[index] = False
    rows = [Row(None, shift) for shift in shifts]
    for run in _runs(entries, fits):
        for index, text in zip(run, _lines(entries, run, shifts, comma), strict=True):
            rows[index] = Row(text, shifts[index])
    return rows


def _is_over(entry: Entry, shift: int, room: int) -> bool:
    return entry.reach > 0 and shift + entry.reach > room and not entry.is_pinned


def _runs(entries: Sequence[Entry], fits: Sequence[bool]) -> Iterator[range]:
    """The stretches of entries on one line each that nothing parts."""
    begin = 0
    for index, entry in enumerate(entries):
        if begin < index and (entry.is_apart or not fits[index]):
            yield range(begin, index)
            begin = index
        if not fits[index]:
            begin = index + 1
    if begin < len(entries):
        yield range(begin, len(entries))


def _shifts(entries: Sequence[Entry], run: range) -> Iterator[tuple[int, int]]:
    """How far each mark of a run moves: neighbours of one family share a column."""
    begin = run.start
    for index in run:
        last = index + 1 == run.stop
        if last or not _is_alike(entries[index], entries[index + 1]):
            column = max(entry.mark for entry in entries[begin : index + 1])
            yield from ((place, column - entries[place].mark) for place in range(begin, index + 1))
            begin = index + 1


def _is_alike(entry: Entry, following: Entry) -> bool:
    return entry.family == following.family and entry.mark >= 0 and following.mark >= 0


def _lines(entries: Sequence[Entry], run: range, shifts: Sequence[int], comma: str) -> list[str]:
    """A run's lines, with their comments in one column."""
    texts = [f"{_shifted(entries[index], shifts[index])}{comma}" for index in run]
    commented = [len(text) for text, index in zip(texts, run, strict=True) if entries[index].trailing]
    if not commented:
        return texts
    column = max(commented)
    return [
        f"{text:<{column}}  {entries[index].trailing}" if entries[index].trailing else text
        for text, index in zip(texts, run, strict=True)
    ]


def _shifted(entry: Entry, shift: int) -> str:
    assert entry.flat is not None
    return f"{entry.flat[: entry.mark]}{' ' * shift}{entry.flat[entry.mark :]}" if shift else entry.flat
