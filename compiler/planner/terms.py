"""Bytes together with the arithmetic that gave them, in words."""

from __future__ import annotations

from dataclasses import dataclass

from ..units import format_count


@dataclass(frozen=True, slots=True)
class Term:
    """Some bytes and how they came about; terms add up, and so do their words."""

    bytes: int
    words: str

    def __add__(self, other: Term) -> Term:
        if not self.bytes or not other.bytes:
            return self if self.bytes else other
        return Term(self.bytes + other.bytes, f"{self.words} + {other.words}")


NOTHING = Term(0, "nothing at the peak")


def product(count: int, what: str, bytes_each: int, ranks: int = 1) -> Term:
    """`count` things of some bytes each, split over `ranks`: `8.0B parameters x 4 bytes / 8 ranks`."""
    split = f" / {ranks} ranks" if ranks > 1 else ""
    return Term(-(-count * bytes_each // ranks), f"{format_count(count)} {what} x {bytes_each} bytes{split}")
