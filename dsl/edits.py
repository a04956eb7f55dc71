"""Applies fixes to a text: each whole or not at all, the first of two that meet, and nothing else changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .diagnostics import Edit, Fix


def compatible(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """The fixes that can be made together; one that meets an earlier one has to wait until that is made."""
    # Touching is meeting: what stands between two insertions at one place is anybody's guess.
    kept: list[Fix] = []
    taken: list[Edit] = []
    for fix in fixes:
        alone = not any(edit.span.meets(other.span) for number, edit in enumerate(fix.edits) for other in fix.edits[:number])
        if fix.edits and alone and not any(edit.span.meets(other.span) for edit in fix.edits for other in taken):
            kept.append(fix)
            taken += fix.edits
    return tuple(kept)


def applied(text: str, fixes: Sequence[Fix]) -> str:
    """A text with compatible fixes made; every edit is one of this text."""
    edits = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.span.start)
    pieces: list[str] = []
    position = 0
    for edit in edits:
        assert edit.span.start >= position, "fixes that meet cannot be made together"
        pieces += (text[position : edit.span.start], edit.text)
        position = edit.span.end
    return "".join((*pieces, text[position:]))
