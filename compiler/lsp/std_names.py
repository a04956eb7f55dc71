"""The names of the standard library by kind, so that completion can offer what is not imported yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from trainc.dsl import ast
from trainc.dsl.parser import parse
from trainc.dsl.source import Source

from ..loader import STDLIB, standard_modules
from ..reading import read_file
from .snapshot import View


@dataclass(frozen=True)
class StandardName:
    """A declaration of a standard module."""

    module: str
    name: str
    kind: str
    doc: str

    @property
    def prefix(self) -> str:
        """The name that an import of its module binds."""
        return self.module.rpartition(".")[2]


@cache
def standard_names() -> tuple[StandardName, ...]:
    """Every declaration of the standard library; it does not change while the server runs."""
    return tuple(name for module in standard_modules() for name in _names(module))


def import_edit(view: View, module: str) -> tuple[int, str]:
    """Where to write the import of a module, and what: after the other imports, else at the top."""
    ends = [item.span.end for item in view.file.items if isinstance(item, ast.Import)]
    return (ends[-1], f"\nimport {module}") if ends else (0, f"import {module}\n")


def _names(module: str) -> Iterator[StandardName]:
    path = STDLIB.joinpath(*module.split(".")[1:]).with_suffix(".train")
    text = read_file(path)
    assert isinstance(text, str), "the standard library ships with trainc"
    for item in parse(Source(module, text)).file.items:
        if isinstance(item, ast.Declaration):
            yield StandardName(module, item.name.text, item.kind.text, item.doc or "")
