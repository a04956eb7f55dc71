"""Which declaration each name of a module means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.source import Span

from . import name_errors
from .loader import Library, Module
from .schema import KINDS

Binding = ast.Import | ast.Param | ast.Let | ast.Declaration


@dataclass(frozen=True, eq=False)
class Scope:
    """The names of a module; `imported` holds the scopes behind its imports, by bound name."""

    module: Module
    bindings: Mapping[str, Binding]
    imported: Mapping[str, Scope]


@dataclass(frozen=True)
class Resolved:
    """The scope of the spec and of every module, by label."""

    root: Scope
    scopes: Mapping[str, Scope]
    findings: tuple[Diagnostic, ...]


def resolve(library: Library) -> Resolved:
    """Scopes for every module of a library."""
    findings: list[Diagnostic] = []
    scopes: dict[str, Scope] = {}
    # The loader finishes imported modules before their importers, so each scope finds the ones it needs.
    for label, module in library.modules.items():
        scopes[label] = _scope(module, scopes, findings)
    return Resolved(scopes[library.root.label], scopes, tuple(findings))


def bound_name(item: Binding) -> tuple[str, Span]:
    """The name an item binds, and where it stands."""
    if not isinstance(item, ast.Import):
        return item.name.text, item.name.span
    if item.alias is not None:
        return item.alias.text, item.alias.span
    last = item.target.rsplit("/", 1)[-1].removesuffix(".train") if item.is_file else item.target.rsplit(".", 1)[-1]
    return last, item.target_span


def _scope(module: Module, scopes: Mapping[str, Scope], findings: list[Diagnostic]) -> Scope:
    bindings: dict[str, Binding] = {}
    imported: dict[str, Scope] = {}
    for item in module.file.items:
        if isinstance(item, ast.Assert):
            continue
        name, span = bound_name(item)
        if not name:
            # The import of a folder, which the loader refuses; nobody can name it.
            continue
        if name in bindings:
            findings.append(name_errors.duplicate(name, span, bound_name(bindings[name])[1]))
            continue
        if isinstance(item, ast.Declaration) and item.kind.text not in KINDS:
            findings.append(name_errors.unknown_kind(item.kind, KINDS))
        bindings[name] = item
        if isinstance(item, ast.Import) and item.target in module.imports:
            imported[name] = scopes[module.imports[item.target].label]
    return Scope(module, bindings, imported)
