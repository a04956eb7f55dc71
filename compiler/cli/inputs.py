"""Which files of the user's a spec is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trainc.dsl import ast

from ..loader import Library, Module


def files(library: Library) -> set[Path]:
    """The spec and what it imports, directly or not; what is not there or may not be read is one of them too."""
    own = {Path(module.file.source.name).resolve() for module in _own(library)}
    return own | imports(library)


def imports(library: Library) -> set[Path]:
    """The files that a spec and its files import, whether they are there or not."""
    return {path for module in _own(library) for path in _targets(module)}


def _own(library: Library) -> Iterator[Module]:
    return (module for module in library.modules.values() if not module.is_standard)


def _targets(module: Module) -> Iterator[Path]:
    folder = Path(module.file.source.name).resolve().parent
    for item in module.file.items:
        if isinstance(item, ast.Import) and item.is_file:
            try:
                yield (folder / item.target).resolve()
            except (OSError, RuntimeError, ValueError):
                # A name that no file can have; the loader says so.
                continue
