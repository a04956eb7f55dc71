"""TRN604: a data file that is not there, or lies outside the spec's folder.

Why: the job would find out on its nodes, after the queue, as in hiyouga/LlamaFactory#6191 ("File data/mllm_dome.json not found" on
every rank); and a path that leaves the folder means another file on each machine.
Example:
  data corpus { train = text { path = "corpos/*.txt" } }
Instead:
  data corpus { train = text { path = "corpus/*.txt" } }
"""

from __future__ import annotations

import glob
from collections.abc import Iterator

from trainc.dsl.suggest import closest

from ..files import SpecFiles
from ..spec import DataSource, StageSpec, Table, TextFiles
from . import Finding


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Looks for what each source reads."""
    for field, source in (("train", stage.data.train), ("eval", stage.data.eval)):
        if (path := _path(source)) is None:
            continue
        at = f"data.{field}.path"
        if files.leaves(path):
            yield Finding(at, f"`{path}` lies outside the spec's folder", "move or link it below the folder")
        elif not files.has_file(path):
            yield Finding(at, f"no file `{path}` in the spec's folder", _help(path, files))


def _path(source: DataSource | None) -> str | None:
    return source.path if isinstance(source, TextFiles | Table) else None


def _help(path: str, files: SpecFiles) -> str:
    """The path with its first missing part spelt as something that is there."""
    parts = path.split("/")
    for position, part in enumerate(parts):
        names = files.names("/".join(parts[:position]))
        if glob.has_magic(part):
            break
        if part not in names:
            near = closest(part, names)
            if near:
                return f'did you mean "{"/".join([*parts[:position], near, *parts[position + 1 :]])}"?'
            break
    if files.has_folder(path):
        return f'for the files in it, write "{path}/*"'
    return "a path is relative to the file it is written in"
