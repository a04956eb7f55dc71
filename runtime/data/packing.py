"""Documents that are never cut, as samples: one each, or as many as fit."""

from __future__ import annotations

from bisect import bisect_left, insort
from pathlib import Path

import numpy
import torch

from .samples import IGNORED


def best_fit(lengths: numpy.ndarray, capacity: int) -> list[list[int]]:
    """Puts documents, the longest first, each into the fullest sample that has room (Johnson 1973, best-fit decreasing)."""
    samples: list[list[int]] = []
    open_by_room: dict[int, list[int]] = {}
    rooms: list[int] = []
    for document in numpy.argsort(-lengths, kind="stable").tolist():
        length = int(lengths[document])
        place = bisect_left(rooms, length)
        if place == len(rooms):
            number, room = len(samples), capacity
            samples.append([])
        else:
            room = rooms[place]
            number = open_by_room[room].pop()
            if not open_by_room[room]:
                del rooms[place], open_by_room[room]
        samples[number].append(document)
        left = room - length
        if left not in open_by_room:
            insort(rooms, left)
        open_by_room.setdefault(left, []).append(number)
    return samples


class WholeDocuments:
    """Samples of `sequence` tokens from documents of at most one token more, filled up with `padding`, which nothing learns.

    Reads `NAME.bin` (tokens), `NAME.learnt` (a byte a token: whether it is a target) and `NAME.starts` (where documents start, and
    the end). Packed documents are apart: positions come along, counted from where each starts. Opened on first use, like Samples.
    """

    def __init__(self, stem: Path, dtype: str, sequence: int, padding: int, packed: bool) -> None:
        self._stem, self._dtype = stem, numpy.dtype(dtype)
        self._sequence, self._padding, self._packed = sequence, padding, packed
        self._starts = numpy.fromfile(stem.with_suffix(".starts"), dtype="int64")
        # The last token of a document is a target only.
        self._lengths = numpy.diff(self._starts) - 1
        self._samples = best_fit(self._lengths, sequence) if packed else [[document] for document in range(len(self._lengths))]
        self._tokens: numpy.ndarray | None = None
        self._learnt: numpy.ndarray | None = None

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def utilisation(self) -> float:
        """The share of places that hold documents."""
        return float(self._lengths.sum()) / max(1, len(self) * self._sequence)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, ...]:
        """Inputs, their targets and, if packed, their positions, each of `sequence` tokens."""
        if self._tokens is None or self._learnt is None:
            self._tokens = numpy.memmap(self._stem.with_suffix(".bin"), dtype=self._dtype, mode="r")
            self._learnt = numpy.memmap(self._stem.with_suffix(".learnt"), dtype=bool, mode="r")
        inputs = torch.full((self._sequence,), self._padding)
        targets = torch.full((self._sequence,), IGNORED)
        positions = torch.empty(self._sequence, dtype=torch.int64)
        place = 0
        for document in self._samples[index]:
            start, length = self._starts[document], self._lengths[document]
            tokens = torch.from_numpy(self._tokens[start : start + length + 1].astype(numpy.int64))
            learnt = torch.from_numpy(self._learnt[start + 1 : start + length + 1].copy())
            inputs[place : place + length] = tokens[:-1]
            targets[place : place + length] = tokens[1:].masked_fill(~learnt, IGNORED)
            positions[place : place + length] = torch.arange(length)
            place += length
        positions[place:] = torch.arange(self._sequence - place)
        return (inputs, targets, positions) if self._packed else (inputs, targets)
