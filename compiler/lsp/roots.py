"""Which specs a file is read by: findings in an imported file depend on the spec that imports it.

An importer's folder lies at or above what it imports, so only the folders from the file's own up to the workspace's are searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..uses import imported
from .buffers import Buffers

_IMPORT = re.compile(r'^[ \t]*import[ \t]+"([^"\n]+)"', re.MULTILINE)

# Files of one folder that are looked into: a folder of thousands of specs must not make typing slow.
_MOST = 200


def roots_of(path: Path, buffers: Buffers, workspace: Iterable[Path]) -> list[Path]:
    """The specs that read a file from the top, nearest first: itself, unless others import it."""
    closures = {candidate: _closure(candidate, buffers) for candidate in _candidates(path, list(workspace))}
    importers = [candidate for candidate, closure in closures.items() if path in closure and candidate != path]
    top = [one for one in importers if not any(one in closures[other] for other in importers if other != one)]
    # In a cycle each imports the other, and the finding says so wherever it is read from.
    if not top or path in closures.get(path, ()):
        return [path]
    return sorted(top, key=lambda one: one not in buffers.open)


def _candidates(path: Path, workspace: list[Path]) -> Iterator[Path]:
    top = min(
        (folder for folder in workspace if path.is_relative_to(folder)), key=lambda folder: len(folder.parts), default=path.parent
    )
    folder = path.parent
    while folder.is_relative_to(top):
        yield from sorted(folder.glob("*.train"))[:_MOST]
        if folder == folder.parent:
            return
        folder = folder.parent


def _closure(spec: Path, buffers: Buffers) -> set[Path]:
    """Every file that a spec imports, directly or not; the spec itself only where it is in a cycle."""
    found: set[Path] = set()
    waiting = [spec]
    while waiting:
        importer = waiting.pop()
        text = buffers.read(importer)
        if not isinstance(text, str) or "\0" in text:
            continue
        for target in _IMPORT.findall(text):
            path = imported(importer, target)
            if path is not None and path not in found:
                found.add(path)
                waiting.append(path)
    return found
