"""Which files of the user's a spec is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trainc.dsl import ast

from ..hygiene import expressions
from ..loader import Library, Module


def located(path: str) -> Path:
    """Where a file is, links followed; a name that no file can have stays as it is."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(path)


def files(library: Library) -> set[Path]:
    """The spec and what it imports, directly or not; what is not there or may not be read is one of them too."""
    own = {Path(module.file.source.name).resolve() for module in _own(library)}
    return own | imports(library)


def imports(library: Library) -> set[Path]:
    """The files that a spec and its files import, whether they are there or not."""
    return {path for module in _own(library) for path in _targets(module)}


def reads(library: Library) -> set[tuple[Path, str]]:
    """What the files of a spec may read of others: a file, and a name that stands behind some dot."""
    found: set[tuple[Path, str]] = set()
    for module in _own(library):
        nodes = (node for item in module.file.items for node in expressions(item))
        names = {node.name.text for node in nodes if isinstance(node, ast.Member)}
        found |= {(path, name) for path in _targets(module) for name in names}
    return found


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
