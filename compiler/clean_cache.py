"""Remembers which specs were checked and found clean, so that a check of unchanged specs need not analyse them again.

Kept in `.trainc_cache` in the current folder, as JSON. An entry holds what the outcome depends on: this version of trainc, the
params, where the names of the spec and its imports lead, the bytes of every file of the spec, and what was asked of the files
that it declares. Findings are not kept: a spec that has any is analysed each time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from .cache_file import CacheFile, digest
from .files import SpecFiles
from .uses import Uses


class CleanCache:
    """What is known of specs here; `keep` adds some, `save` writes it down."""

    def __init__(self) -> None:
        self.file = CacheFile("clean.json")
        self.began = time.time_ns()

    def find(self, spec: str, given: Mapping[str, str], fixed: Collection[str]) -> Uses | None:
        """What a spec uses, where it is as it was when it was found clean."""
        try:
            entry = self.file.entries[_key(spec, given, fixed)]
            return _uses(entry) if _still_holds(entry) else None
        except (LookupError, TypeError, ValueError, AttributeError):
            # No entry, or one that somebody else wrote.
            return None

    def keep(self, spec: str, given: Mapping[str, str], fixed: Collection[str], uses: Uses, files: SpecFiles) -> None:
        """Remembers a spec that was found clean, unless a file of it was written since the check began."""
        if any(_written(path) >= self.began for path in uses.files):
            # What was found clean may have been what it held before.
            return
        entry = {
            "files": {str(path): _digest(str(path)) for path in sorted(uses.files)},
            "places": {name: os.path.realpath(name) for name in (os.path.abspath(spec), *sorted(map(str, uses.ways)))},
            "folder": str(files.folder),
            "asked": [[question, path, answer] for (question, path), answer in sorted(files.asked.items())],
            "imports": sorted(map(str, uses.imports)),
            "reads": sorted([str(path), name] for path, name in uses.reads),
            "runs": uses.runs,
        }
        self.file.keep(_key(spec, given, fixed), entry)

    def save(self) -> None:
        """Writes the entries where there are new ones."""
        self.file.save()


def _still_holds(entry: dict[str, Any]) -> bool:
    files = SpecFiles(Path(entry["folder"]))
    same_files = all(os.path.realpath(name) == place for name, place in entry["places"].items())
    unchanged = same_files and all(_digest(path) == digest for path, digest in entry["files"].items())
    return unchanged and all(files.still_holds(question, path, answer) for question, path, answer in entry["asked"])


def _uses(entry: dict[str, Any]) -> Uses:
    return Uses(
        files=frozenset(map(Path, entry["files"])),
        imports=frozenset(map(Path, entry["imports"])),
        ways=frozenset(map(Path, entry["places"])),
        reads=frozenset((Path(path), name) for path, name in entry["reads"]),
        runs=bool(entry["runs"]),
    )


def _key(spec: str, given: Mapping[str, str], fixed: Collection[str]) -> str:
    return json.dumps([os.path.abspath(spec), sorted(given.items()), sorted(fixed)])


def _digest(path: str) -> str | None:
    try:
        return digest(Path(path).read_bytes())
    except OSError:
        return None


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
