"""Remembers which specs were checked and found clean, so that a check of unchanged specs need not analyse them again.

Kept in `.trainc_cache` in the current folder, as JSON. An entry holds what the outcome depends on: this version of trainc, the
params, where the names of the spec and its imports lead, the bytes of every file of the spec, and what was asked of the files
that it declares. Findings are not kept: a spec that has any is analysed each time.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from trainc.dsl.version import VERSION

from .files import SpecFiles
from .uses import Uses

FOLDER = ".trainc_cache"
FILE = "clean.json"
# A folder of more specs than this is better checked in parts.
MOST_ENTRIES = 5_000
_PACKAGE = Path(__file__).parent.parent


class CleanCache:
    """The entries of one folder; `keep` adds some, `save` writes them."""

    def __init__(self, folder: Path):
        self.folder = folder / FOLDER
        self.stamp = _stamp()
        self.entries = _read(self.folder / FILE, self.stamp)
        self.changed = False
        self.began = time.time_ns()

    def find(self, spec: str, given: Mapping[str, str], fixed: Collection[str]) -> Uses | None:
        """What a spec uses, where it is as it was when it was found clean."""
        try:
            entry = self.entries[_key(spec, given, fixed)]
            return _uses(entry) if _still_holds(entry) else None
        except (LookupError, TypeError, ValueError, AttributeError):
            # No entry, or one that somebody else wrote.
            return None

    def keep(self, spec: str, given: Mapping[str, str], fixed: Collection[str], uses: Uses, files: SpecFiles) -> None:
        """Remembers a spec that was found clean, unless a file of it was written since the check began."""
        if any(_written(path) >= self.began for path in uses.files):
            # What was found clean may have been what it held before.
            return
        self.changed = True
        self.entries[_key(spec, given, fixed)] = {
            "files": {str(path): _digest(str(path)) for path in sorted(uses.files)},
            "places": {name: os.path.realpath(name) for name in (os.path.abspath(spec), *sorted(map(str, uses.ways)))},
            "folder": str(files.folder),
            "asked": [[question, path, answer] for (question, path), answer in sorted(files.asked.items())],
            "imports": sorted(map(str, uses.imports)),
            "reads": sorted([str(path), name] for path, name in uses.reads),
            "runs": uses.runs,
        }

    def save(self) -> None:
        """Writes the entries; where that cannot be, the next check is slower and nothing else."""
        if not self.changed:
            return
        from . import whole_file

        newest = dict(list(self.entries.items())[-MOST_ENTRIES:])
        try:
            self.folder.mkdir(exist_ok=True)
            # Nobody wants it in a repository.
            (self.folder / ".gitignore").write_text("*\n", encoding="utf-8")
            whole_file.write(str(self.folder / FILE), json.dumps({"stamp": self.stamp, "entries": newest}).encode())
        except OSError:
            return


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


def _read(path: Path, stamp: str) -> dict[str, dict[str, Any]]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    fits = isinstance(content, dict) and content.get("stamp") == stamp and isinstance(content.get("entries"), dict)
    return content["entries"] if fits else {}


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _digest(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return None


def _stamp() -> str:
    """Changes with every change of trainc, released or not."""
    state = hashlib.blake2b(VERSION.encode(), digest_size=16)
    for layer in ("compiler", "dsl", "stdlib"):
        for name, seconds, size in _sources(os.path.join(_PACKAGE, layer)):
            state.update(f"{name} {seconds} {size}\n".encode())
    return state.hexdigest()


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith((".py", ".train", ".j2")):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _sources(entry.path)
