"""What a spec is made of, and what it takes from files that it imports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .loader import Library, Module


@dataclass(frozen=True, slots=True)
class Uses:
    """The files of the user's that a spec is made of, directly or not; those that are imports, there or not; what is read of them.

    `ways` are the imports as they are reached, links not followed; `reads` are a file and a name that stands behind some dot; a
    spec `runs` where it declares stages.
    """

    files: frozenset[Path]
    imports: frozenset[Path]
    ways: frozenset[Path]
    reads: frozenset[tuple[Path, str]]
    runs: bool


def located(path: str) -> Path:
    """Where a file is, links followed; a name that no file can have stays as it is."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(path)


def imported(importer: Path, target: str) -> Path | None:
    """The file that an import names; None for a name that no file can have, of which the loader says so."""
    try:
        return (importer.parent / target).resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def uses(library: Library) -> Uses:
    """What a library says of itself."""
    from trainc.dsl import ast

    from .hygiene import RUN_KINDS

    own = [module for module in library.modules.values() if not module.is_standard]
    ways = frozenset(path for module in own for path in _ways(module))
    imports = frozenset(path for module in own for path in _targets(module))
    return Uses(
        files=frozenset(Path(module.file.source.name).resolve() for module in own) | imports,
        imports=imports,
        ways=ways,
        reads=frozenset(use for module in own for use in _reads(module)),
        runs=any(isinstance(item, ast.Declaration) and item.kind.text in RUN_KINDS for item in library.root.file.items),
    )


def _reads(module: Module) -> Iterator[tuple[Path, str]]:
    from trainc.dsl import ast
    from trainc.dsl.visitor import expressions

    nodes = (node for item in module.file.items for node in expressions(item))
    names = {node.name.text for node in nodes if isinstance(node, ast.Member)}
    return ((path, name) for path in _targets(module) for name in names)


def _targets(module: Module) -> Iterator[Path]:
    return (path for way in _ways(module) if (path := imported(module.path, str(way))) is not None)


def _ways(module: Module) -> Iterator[Path]:
    """The paths of imports as they are written, links not followed."""
    from trainc.dsl import ast

    folder = Path(module.file.source.name).resolve().parent
    return (folder / item.target for item in module.file.items if isinstance(item, ast.Import) and item.is_file)
