"""Cuts a file of tokens into samples and puts them in an order."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy
import torch

ROUNDS = 6

# What a target is set to where nothing is to be predicted.
IGNORED = -100


class Samples:
    """Samples of `sequence` + 1 tokens from one token file; neighbours share one token, so each position has a target.

    With a `separator`, the token that ends a document, documents in a sample are apart: no target is another document's token,
    and positions come along, counted from where a document starts. The file is opened on first use, in whichever process uses it.
    """

    def __init__(self, path: Path, dtype: str, sequence: int, separator: int | None = None) -> None:
        self._path = path
        self._dtype = numpy.dtype(dtype)
        self._sequence = sequence
        self._separator = separator
        self._tokens: numpy.ndarray | None = None
        self.num_tokens = path.stat().st_size // self._dtype.itemsize

    def __len__(self) -> int:
        return max(0, self.num_tokens - 1) // self._sequence

    def __getitem__(self, index: int) -> tuple[torch.Tensor, ...]:
        """Inputs, their targets and, with a separator, their positions, each of `sequence` tokens."""
        if self._tokens is None:
            self._tokens = numpy.memmap(self._path, dtype=self._dtype, mode="r")
        start = index * self._sequence
        tokens = torch.from_numpy(self._tokens[start : start + self._sequence + 1].astype(numpy.int64))
        inputs, targets = tokens[:-1], tokens[1:]
        if self._separator is None:
            return inputs, targets
        # What follows the end of a document is another one's first token, which nothing here could tell.
        return inputs, targets.masked_fill(inputs == self._separator, IGNORED), positions_in_documents(inputs, self._separator)


def positions_in_documents(tokens: torch.Tensor, separator: int) -> torch.Tensor:
    """Each token's place in its document, of which a sample may hold the end only: (sequence) to (sequence)."""
    places = torch.arange(len(tokens))
    starts = torch.zeros_like(places)
    starts[1:] = places[1:] * (tokens[:-1] == separator)
    return places - starts.cummax(0).values


def sample_at(position: int, size: int, seed: int, shuffle: bool) -> int:
    """The sample that stands at a position of the endless stream of epochs: a function of its arguments alone."""
    epoch, offset = divmod(position, size)
    return permuted(offset, size, _key(seed, epoch)) if shuffle else offset


def permuted(index: int, size: int, key: int) -> int:
    """Where a pseudo-random permutation of range(size) sends `index`, without making the permutation.

    A Feistel network permutes the next larger power of four; walking on until the value is below `size` keeps it a
    permutation (Black and Rogaway 2002, "Ciphers with arbitrary finite domains").
    """
    half = ((size - 1).bit_length() + 1) // 2
    mask = (1 << half) - 1
    while True:
        left, right = index >> half, index & mask
        for turn in range(ROUNDS):
            left, right = right, left ^ (_mix(right + turn * 0x9E3779B97F4A7C15 + key) & mask)
        index = left << half | right
        if index < size:
            return index


def _mix(value: int) -> int:
    # The finalizer of splitmix64.
    value &= 0xFFFFFFFFFFFFFFFF
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    value = (value ^ value >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return value ^ value >> 31


@lru_cache(maxsize=4)
def _key(seed: int, epoch: int) -> int:
    return int.from_bytes(blake2b(f"{seed}/{epoch}".encode(), digest_size=8).digest(), "big")
