"""A spec as it is at one moment, analysed whole, with what features ask of it: modules by path, words by place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from trainc.dsl import ast
from trainc.dsl.source import Source

from ..driver import Analysis, analyse
from ..evaluate import Evaluator
from ..loader import STDLIB, Files, Module
from ..resolve import Scope
from .index import Index, index


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The analysis of a spec; indices are made when they are first asked for."""

    analysis: Analysis

    @cached_property
    def evaluator(self) -> Evaluator:
        """Computes any expression of the spec; whatever it finds was reported by the analysis."""
        return Evaluator(self.analysis.resolved.root, {})

    @cached_property
    def modules(self) -> Mapping[Path, Module]:
        """Every module that the spec reads, by its file."""
        return {module.path.resolve(): module for module in self.analysis.library.modules.values()}

    @cached_property
    def _indices(self) -> dict[str, Index]:
        return {}

    def index(self, module: Module) -> Index:
        """The words of a module."""
        if module.label not in self._indices:
            self._indices[module.label] = index(self.scope(module), self.evaluator)
        return self._indices[module.label]

    def scope(self, module: Module) -> Scope:
        """The names of a module."""
        return self.analysis.resolved.scopes[module.label]

    def path(self, source: Source) -> Path | None:
        """The file of a source; None for what no file holds."""
        return next((path for path, module in self.modules.items() if module.file.source is source), None)

    @property
    def root(self) -> Path:
        """The file of the spec itself."""
        return self.analysis.library.root.path.resolve()


@dataclass(frozen=True, eq=False)
class View:
    """One file of a snapshot: what a feature is asked about."""

    snapshot: Snapshot
    module: Module

    @property
    def file(self) -> ast.File:
        """Its syntax tree."""
        return self.module.file

    @property
    def text(self) -> str:
        """Its text."""
        return self.module.file.source.text

    @property
    def scope(self) -> Scope:
        """Its names."""
        return self.snapshot.scope(self.module)

    @property
    def index(self) -> Index:
        """Its words."""
        return self.snapshot.index(self.module)


def take(path: Path, files: Files) -> Snapshot:
    """Analyses a spec; raises loader.UnreadableError if it cannot be read."""
    return Snapshot(analyse(path, {}, files=files))


def is_standard(path: Path) -> bool:
    """Whether a file belongs to the standard library that ships with trainc."""
    return path.is_relative_to(STDLIB.resolve())
