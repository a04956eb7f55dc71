"""Formatting: the canonical form of `trainc fmt`, as the smallest edit that leads to it."""

from __future__ import annotations

from lsprotocol import types
from trainc.dsl.formatter import format_source

from .spot import Spot


def formatting(spot: Spot) -> list[types.TextEdit]:
    """One edit, or none where the document is in canonical form or does not parse."""
    old = spot.view.text
    new = format_source(spot.view.file.source).text
    if new is None or new == old:
        return []
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    return [types.TextEdit(spot.lines.between(start, len(old) - end), new[start : len(new) - end])]


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike; half a line end is not taken."""
    length = next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return length - 1 if length and "\r\n" in (one[length - 1 : length + 1], one[length - 1 : length + 1][::-1]) else length
