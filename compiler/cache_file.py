"""A file of what earlier commands found out, in `.trainc_cache` in the current folder; only this version of trainc heeds it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainc.dsl.version import VERSION

FOLDER = ".trainc_cache"
# A folder of more specs than this is better looked at in parts.
MOST_ENTRIES = 5_000
_PACKAGE = Path(__file__).parent.parent


class CacheFile:
    """The entries of one file by their keys; `save` writes them where some are new."""

    def __init__(self, name: str):
        self.path = Path(FOLDER) / name
        self.stamp = _stamp()
        self.entries = _read(self.path, self.stamp)
        self.changed = False

    def keep(self, key: str, entry: Any) -> None:
        """Adds an entry, or replaces one."""
        self.entries[key] = entry
        self.changed = True

    def save(self) -> None:
        """Writes the newest entries; where that cannot be, the next command is slower and nothing else."""
        if not self.changed:
            return
        from . import whole_file

        newest = dict(list(self.entries.items())[-MOST_ENTRIES:])
        try:
            self.path.parent.mkdir(exist_ok=True)
            # Nobody wants it in a repository.
            (self.path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
            whole_file.write(str(self.path), json.dumps({"stamp": self.stamp, "entries": newest}).encode())
        except OSError:
            return


def digest(content: bytes) -> str:
    """What tells a content from any other."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _read(path: Path, stamp: str) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    fits = isinstance(content, dict) and content.get("stamp") == stamp and isinstance(content.get("entries"), dict)
    return content["entries"] if fits else {}


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
