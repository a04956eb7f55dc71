"""Puts the imports that begin a file in order: the standard library's first, then files; nothing moves over a comment."""

from __future__ import annotations

from dataclasses import replace

from .allow_comments import is_allow
from .layout import Entry


def imports_sorted(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The items of a file with the imports before all other items in order, stretch by stretch."""
    number = next((index for index, entry in enumerate(entries) if entry.family != "IMPORT"), len(entries))
    done: list[Entry] = []
    begin = 0
    while begin < number:
        end = next((index for index in range(begin + 1, number) if entries[index].is_apart), number)
        done += _stretch_sorted(entries[begin:end], is_first=begin == 0)
        begin = end
    return (*done, *entries[number:])


def _stretch_sorted(imports: tuple[Entry, ...], is_first: bool) -> list[Entry]:
    """Imports that stand together, in order; what stands above the first stays above them."""
    head = imports[0]
    # A comment right above an import is about it, unless it begins the file.
    attached = bool(head.notes) and not head.blank
    if attached and (not is_first or any(is_allow(note.text) for note in head.notes)):
        return [head, *sorted(imports[1:], key=_import_key)]
    ordered = [replace(entry, notes=(), blank=False) for entry in sorted(imports, key=_import_key)]
    return [replace(ordered[0], notes=head.notes, blank=head.blank), *ordered[1:]]


def _import_key(entry: Entry) -> tuple[bool, str]:
    target = (entry.flat or "").removeprefix("import ")
    return target.startswith('"'), target
