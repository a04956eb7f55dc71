"""Says how many there are of something."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number and its noun, as in `1 spec`, `2 specs`."""
    return f"{count} {noun}{'s' * (count != 1)}"
