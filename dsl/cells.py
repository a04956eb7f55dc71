"""How many cells of a terminal a character takes, so that carets stand below what they mark."""

from __future__ import annotations

import unicodedata

TAB_CELLS = 4

_REPLACEMENT = "\ufffd"
# Characters that reorder the text around them would let a line show what it does not say.
_REORDERING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)))
_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
# Vowels and finals of Hangul, written into the syllable before them.
_JAMO = frozenset(map(chr, (*range(0x1160, 0x1200), *range(0xD7B0, 0xD800))))


def shown(char: str, cell: int, before: str) -> tuple[str, int]:
    """How a character is shown, and how many cells it takes at a cell, after the character before it."""
    if " " <= char <= "~":
        return char, 1
    if char == "\t":
        cells = TAB_CELLS - cell % TAB_CELLS
        return " " * cells, cells
    category = unicodedata.category(char)
    if char in _REORDERING or category in ("Cc", "Cs", "Zl", "Zp"):
        return _REPLACEMENT, 1
    if char == _EMOJI_STYLE:
        # A sign that is narrow as text is as wide as an emoji when it is drawn as one.
        return char, 1 if before and _width(before) == 1 and unicodedata.category(before) == "So" else 0
    if before == _JOINER or (char in _SKIN_TONES and _width(before) == 2):
        return char, 0
    return char, _width(char)


def _width(char: str) -> int:
    if char == "" or char in _JAMO:
        return 0
    if char == "\u00ad":
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
