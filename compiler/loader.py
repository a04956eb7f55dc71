"""Reads a spec and everything it imports: files below the spec's own folder, and the standard library. Nothing else is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.parser import parse
from trainc.dsl.source import Source
from trainc.dsl.suggest import closest

from . import import_errors
from .reading import UnreadableError, decoded, read

STDLIB = Path(__file__).parent.parent / "stdlib"


@dataclass(frozen=True, eq=False)
class Module:
    """One parsed source; `label` is its path below the spec's folder, or `std.a.b`: the same on every machine."""

    label: str
    file: ast.File
    imports: Mapping[str, Module]

    @property
    def is_standard(self) -> bool:
        """Whether it belongs to the standard library."""
        return self.label.startswith("std.")


@dataclass(frozen=True)
class Library:
    """The spec's module, all modules by label, and what was wrong in reading and parsing them."""

    root: Module
    folder: Path
    modules: Mapping[str, Module]
    findings: tuple[Diagnostic, ...]

    def label(self, source: Source) -> str:
        """The label of the module that a span's source belongs to; the source's own name outside the modules."""
        return next((label for label, module in self.modules.items() if module.file.source is source), source.name)


def load(path: Path, text: str | None = None) -> Library:
    """The spec at `path`, or `text` in its place, with its imports; raises UnreadableError if the spec itself cannot be read."""
    try:
        folder = path.resolve().parent
    except (OSError, RuntimeError, ValueError) as fault:
        raise UnreadableError(import_errors.unreadable(str(path), str(fault))) from fault
    loading = _Loading(folder)
    content = decoded(read(path), str(path)) if text is None else text
    root = loading.module(_label(path.name), path.resolve(), Source(str(path), content))
    return Library(root, folder, loading.modules, tuple(loading.findings))


class _Loading:
    def __init__(self, folder: Path):
        self.folder = folder
        self.modules: dict[str, Module] = {}
        self.findings: list[Diagnostic] = []
        self.active: list[str] = []

    def module(self, label: str, path: Path, source: Source) -> Module:
        parsed = parse(source)
        self.findings += parsed.findings
        self.active.append(label)
        imports: dict[str, Module] = {}
        for item in parsed.file.items:
            if isinstance(item, ast.Import) and (imported := self.imported(item, path)):
                imports[item.target] = imported
        self.active.pop()
        self.modules[label] = Module(label, parsed.file, imports)
        return self.modules[label]

    def imported(self, item: ast.Import, importer: Path) -> Module | None:
        place = self.place(item, importer)
        if place is None:
            return None
        label, path = place
        if label in self.active:
            cycle = [*self.active[self.active.index(label) :], label]
            self.findings.append(import_errors.cycle(cycle, item.target_span))
            return None
        if label in self.modules:
            return self.modules[label]
        try:
            content = decoded(read(path), str(path))
        except UnreadableError as fault:
            self.findings.append(import_errors.cannot_import(item.target, fault.finding.message, item.target_span))
            return None
        name = label if label.startswith("std.") else os.path.relpath(path)
        return self.module(label, path, Source(name, content))

    def place(self, item: ast.Import, importer: Path) -> tuple[str, Path] | None:
        if not item.is_file:
            return self.standard(item)
        try:
            path = (importer.parent / item.target).resolve()
        except (OSError, RuntimeError, ValueError) as fault:
            self.findings.append(import_errors.cannot_import(item.target, str(fault), item.target_span))
            return None
        if not path.is_relative_to(self.folder):
            self.findings.append(import_errors.outside(item.target, item.target_span))
            return None
        return _label(path.relative_to(self.folder).as_posix()), path

    def standard(self, item: ast.Import) -> tuple[str, Path] | None:
        head, *rest = item.target.split(".")
        path = STDLIB.joinpath(*rest).with_suffix(".train") if rest else None
        if head == "std" and path is not None and path.is_file():
            return item.target, path
        self.findings.append(import_errors.unknown_module(item.target, closest(item.target, standard_modules()), item.target_span))
        return None


def _label(path: str) -> str:
    """A path as the name of a module; labels stand in comments of generated scripts, so control characters go."""
    return "".join(char if char.isprintable() else "_" for char in path)


def standard_modules() -> list[str]:
    """The dotted names of the standard library's modules."""
    files = sorted(STDLIB.rglob("*.train"))
    return [".".join(("std", *file.relative_to(STDLIB).with_suffix("").parts)) for file in files]
