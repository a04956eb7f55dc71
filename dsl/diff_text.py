"""The difference between two texts as a unified diff, which `patch -p0` and `git apply -p0` take."""

from __future__ import annotations

import difflib


def unified_diff(name: str, before: str, after: str) -> str:
    """The diff of a file; empty where nothing changed."""
    lines = difflib.unified_diff(_lines(before), _lines(after), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    # Only `\n` ends a line here, as it does for patch: splitlines() would split at form feeds and others too.
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + pieces[-1:] * bool(pieces[-1])
