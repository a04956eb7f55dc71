"""Reads a spec and everything it imports: files below the spec's own folder, and the standard library. Nothing else is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.parser import parse
from trainc.dsl.source import Source

from . import import_errors
from .reading import UnreadableError, read_file

# How many imports may stand one behind the other; Python's own stack is the reason for a limit.
DEEPEST = 40
STDLIB = Path(__file__).parent.parent / "stdlib"


@dataclass(frozen=True, eq=False)
class Module:
    """One parsed source; `label` is its path below the spec's folder, or `std.a.b`: the same on every machine."""

    label: str
    path: Path
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


@dataclass(frozen=True, slots=True)
class Files:
    """Where the text of the user's files comes from, what messages call them, and how a text is parsed."""

    read: Callable[[Path], str | Diagnostic]
    name: Callable[[Path], str]
    parse: Callable[[Source], ast.ParseResult] = parse

    def with_edited(self, edited: Mapping[Path, str]) -> Files:
        """The same with other texts in some files, by resolved path."""

        def read(path: Path) -> str | Diagnostic:
            text = edited.get(path.resolve())
            return self.read(path) if text is None else text

        return replace(self, read=read)


DISK = Files(read_file, os.path.relpath)


def load(
    path: Path,
    text: str | None = None,
    edited: Mapping[Path, str] | None = None,
    files: Files = DISK,
    root: Path | None = None,
) -> Library:
    """The spec at `path`, or `text` in its place, with its imports; raises UnreadableError if the spec itself cannot be read.

    `edited` holds texts that stand in for what files hold, by resolved path; `root` is a folder that imports may not leave, instead
    of the spec's own, where the spec lies in it.
    """
    try:
        folder = path.resolve().parent
        if root is not None and folder.is_relative_to(root.resolve()):
            folder = root.resolve()
    except (OSError, RuntimeError, ValueError) as fault:
        raise UnreadableError(import_errors.unreadable(str(path), str(fault))) from fault
    files = files.with_edited(edited) if edited else files
    loading = _Loading(folder, files)
    content = files.read(path) if text is None else text
    if isinstance(content, Diagnostic):
        raise UnreadableError(content)
    # What the user typed names the spec on disk; elsewhere it is whoever supplies the texts.
    name = str(path) if files.name is DISK.name else files.name(path)
    label = _label(path.name if folder == path.resolve().parent else path.resolve().relative_to(folder).as_posix())
    module = loading.module(label, path.resolve(), Source(name, content))
    return Library(module, folder, loading.modules, tuple(loading.findings))


class _Loading:
    def __init__(self, folder: Path, files: Files):
        self.folder = folder
        self.files = files
        self.modules: dict[str, Module] = {}
        self.findings: list[Diagnostic] = []
        self.active: list[str] = []

    def module(self, label: str, path: Path, source: Source) -> Module:
        parsed = self.files.parse(source)
        self.findings += parsed.findings
        self.active.append(label)
        imports: dict[str, Module] = {}
        for item in parsed.file.items:
            if isinstance(item, ast.Import) and (imported := self.imported(item, path)):
                imports[item.target] = imported
        self.active.pop()
        self.modules[label] = Module(label, path, parsed.file, imports)
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
        if len(self.active) >= DEEPEST:
            self.findings.append(import_errors.too_deep(DEEPEST, item.target_span))
            return None
        standard = label.startswith("std.")
        content = read_file(path) if standard else self.files.read(path)
        if isinstance(content, Diagnostic):
            # The same message on every machine: the resolved path is one of this machine's.
            reason = content.message.replace(f"`{path}`", f"`{self.files.name(path)}`")
            self.findings.append(import_errors.cannot_import(item.target, reason, item.target_span))
            return None
        name = self.files.name(path) if item.is_file else label
        return self.module(label, path, Source(name, content, item.is_file))

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
        self.findings.append(import_errors.unknown_module(item.target, standard_modules(), item.target_span))
        return None


def _label(path: str) -> str:
    """A path as the name of a module; labels stand in comments of generated scripts, so control characters go."""
    return "".join(char if char.isprintable() else "_" for char in path)


def standard_modules() -> list[str]:
    """The dotted names of the standard library's modules."""
    files = sorted(STDLIB.rglob("*.train"))
    return [".".join(("std", *file.relative_to(STDLIB).with_suffix("").parts)) for file in files]
