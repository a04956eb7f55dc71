"""A spec as it is at one moment, with what features ask of it: modules by path, words by place, findings and plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.source import Source

from ..driver import Analysis, analyse_library, without_collection
from ..evaluate import Evaluator
from ..loader import STDLIB, Files, Library, Module, load
from ..resolve import Resolved, Scope, resolve
from .index import Index
from .indexing import index
from .rulings import Rulings


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The sources of a spec; everything else is computed when it is first asked for."""

    library: Library
    rulings: Rulings

    @cached_property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The findings that count in the project."""
        return self.rulings.apply(self.analysis.findings, self.library)

    @cached_property
    def analysis(self) -> Analysis:
        """Every phase of the compiler over the spec."""
        with without_collection():
            return analyse_library(self.library, {}, fixed=self.rulings.policy.fixed)

    @cached_property
    def resolved(self) -> Resolved:
        """The names of every module."""
        return resolve(self.library)

    @cached_property
    def evaluator(self) -> Evaluator:
        """Computes any expression of the spec; whatever it finds is reported by the analysis."""
        return Evaluator(self.resolved.root, {})

    @cached_property
    def modules(self) -> Mapping[Path, Module]:
        """Every module that the spec reads, by its file."""
        return {module.path.resolve(): module for module in self.library.modules.values()}

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
        return self.resolved.scopes[module.label]

    def path(self, source: Source) -> Path | None:
        """The file of a source; None for what no file holds."""
        return next((path for path, module in self.modules.items() if module.file.source is source), None)

    @property
    def root(self) -> Path:
        """The file of the spec itself."""
        return self.library.root.path.resolve()


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


def take(path: Path, files: Files, rulings: Rulings) -> Snapshot:
    """Reads a spec; raises loader.UnreadableError if it cannot be read."""
    with without_collection():
        return Snapshot(load(path, files=files), rulings)


def is_standard(path: Path) -> bool:
    """Whether a file belongs to the standard library that ships with trainc."""
    return path.is_relative_to(STDLIB.resolve())
