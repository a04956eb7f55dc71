"""The files that a spec can import: those below its folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# Folders and files looked at for one completion: a folder with a data set inside must not make it slow.
_MOST_FOLDERS = 500
_MOST_FILES = 500


def importable(path: Path, folder: Path) -> list[str]:
    """The paths by which a file can import others of the spec's folder, as they are written."""
    found = sorted(file for file in _specs(folder) if file != path)[:_MOST_FILES]
    return [_written(os.path.relpath(file, path.parent)) for file in found]


def _specs(folder: Path) -> Iterator[Path]:
    for number, (here, inside, files) in enumerate(os.walk(folder)):
        if number >= _MOST_FOLDERS:
            return
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        yield from (Path(here) / name for name in files if name.endswith(".train"))


def _written(relative: str) -> str:
    path = relative.replace(os.sep, "/")
    return path if path.startswith(".") else f"./{path}"
