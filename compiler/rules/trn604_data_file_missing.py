"""TRN604: a data file that is not there, or lies outside the spec's folder.

Why: the job would find out on its nodes, after the queue; and a path that leaves the folder means another file on each machine.
Example:
  data corpus { train = text { path = "corpos/*.txt" } }
Instead:
  data corpus { train = text { path = "corpus/*.txt" } }
"""

from __future__ import annotations

import glob
import os
import posixpath
from collections.abc import Iterator
from pathlib import Path

from trainc.dsl.suggest import closest

from ..spec import DataSource, Jsonl, StageSpec, TextFiles
from . import Finding


def check_files(stage: StageSpec, folder: Path) -> Iterator[Finding]:
    """Looks for what each source reads; patterns mean what they mean to the runtime."""
    for field, source in (("train", stage.data.train), ("eval", stage.data.eval)):
        if (path := _path(source)) is None:
            continue
        at = f"data.{field}.path"
        if posixpath.isabs(path) or path.split("/")[0] == "..":
            yield Finding(at, f"`{path}` lies outside the spec's folder", "move or link it below the folder")
        elif not any(os.path.isfile(folder / name) for name in glob.iglob(path, root_dir=folder, recursive=True)):
            yield Finding(at, f"no file `{path}` in the spec's folder", _help(path, folder))


def _path(source: DataSource | None) -> str | None:
    return source.path if isinstance(source, TextFiles | Jsonl) else None


def _help(path: str, folder: Path) -> str:
    """The path with its first missing part spelt as something that is there."""
    # The functions of os.path answer no where those of Path raise: a name too long, a folder that may not be read.
    parts = path.split("/")
    for position, part in enumerate(parts):
        parent = folder.joinpath(*parts[:position])
        if glob.has_magic(part) or not os.path.isdir(parent):
            break
        if not os.path.exists(parent / part):
            near = closest(part, sorted(glob.glob("*", root_dir=parent)))
            if near:
                return f'did you mean "{"/".join([*parts[:position], near, *parts[position + 1 :]])}"?'
            break
    if os.path.isdir(folder / path):
        return f'for the files in it, write "{path}/*"'
    return "a path is relative to the file it is written in"
