"""Patterns of paths, as .gitignore and editors have them: `*` within a folder's name, `**` over any number of folders."""

from __future__ import annotations

import re


def matches(path: str, pattern: str) -> bool:
    """Whether a path with `/` is what the pattern means, or lies below a folder that is."""
    return re.fullmatch(rf"{_expression(pattern.strip('/'))}(?:/.*)?", path, re.DOTALL) is not None


def _expression(pattern: str) -> str:
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./"))
    meanings = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return "".join(meanings.get(piece) or re.escape(piece) for piece in pieces)
