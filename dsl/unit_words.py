"""The spellings of units: what the lexer takes as the unit of a number, and what the compiler gives a meaning.

`B` stands in two lists: bytes, or billions, as the expected type decides.
"""

from __future__ import annotations

import re

BYTES = ("B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB")
BANDWIDTHS = (
    *("b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "Kib/s", "Mib/s", "Gib/s", "Tib/s"),
    *("B/s", "kB/s", "MB/s", "GB/s", "TB/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"),
)
FLOPS = ("FLOPS", "kFLOPS", "MFLOPS", "GFLOPS", "TFLOPS", "PFLOPS", "EFLOPS")
DURATIONS = ("ms", "s", "min", "h", "d")
EXTENTS = ("steps", "epochs", "tokens", "samples", "step", "epoch", "token", "sample")
MULTIPLIERS = ("k", "M", "B", "T", "Ki", "Mi", "Gi")
PERCENT = "%"

WORDS = tuple(dict.fromkeys((*BYTES, *BANDWIDTHS, *FLOPS, *DURATIONS, *EXTENTS, *MULTIPLIERS)))

# Spellings from elsewhere that an edit distance would not find.
FOREIGN_WORDS = {
    "K": "k",
    "G": "B",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "minute": "min",
    "minutes": "min",
    "mins": "min",
    "m": "min",
    "hr": "h",
    "hrs": "h",
    "hour": "h",
    "hours": "h",
    "day": "d",
    "days": "d",
    "kbps": "kb/s",
    "Mbps": "Mb/s",
    "Gbps": "Gb/s",
    "Tbps": "Tb/s",
    "MBps": "MB/s",
    "GBps": "GB/s",
    "bytes": "B",
    "byte": "B",
    "percent": "%",
    "pct": "%",
    "TFLOP": "TFLOPS",
    "iterations": "steps",
    "iters": "steps",
}


def _one_of(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


DIGITS_PATTERN = r"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?"
# A unit as it follows its digits: `%` glued, everything else glued or after spaces; then `2h30min`, `15T tokens`.
UNIT_PATTERN = (
    rf"%|[ \t]*(?:(?:{_one_of(MULTIPLIERS)})[ \t]+(?:{_one_of(EXTENTS)})"
    rf"|(?:{_one_of(DURATIONS)})(?:[0-9]+(?:{_one_of(DURATIONS)}))+"
    rf"|{_one_of(WORDS)})(?![A-Za-z0-9_])"
)
_COMPOUND = re.compile(rf"([0-9]*)({_one_of(DURATIONS)})")


def is_compound_duration(unit: str) -> bool:
    """Whether a number's unit goes on with more numbers, as `h30min` in `2h30min`."""
    return any(char.isdigit() for char in unit)


def duration_terms(digits: str, unit: str) -> tuple[tuple[str, str], ...]:
    """The terms of a duration: `2`, `h30min` gives `2 h` and `30 min`."""
    first, *others = _COMPOUND.findall(unit)
    return ((digits, first[1]), *((more, word) for more, word in others))
