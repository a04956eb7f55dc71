"""Amending: the one mechanism behind declarations, defaults, variants and inheritance."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.suggest import closest
from trainc.dsl.visitor import faults_in, words

from . import name_errors
from .resolve import Scope
from .schema import KINDS, Choice, ListOf, Record
from .values import POISON, Entry, RecordValue, Written


def amend(base: RecordValue, block: ast.Block, scope: Scope, findings: list[Diagnostic]) -> RecordValue:
    """`base { ... }`: named fields replace, nested blocks amend what the base has; unknown fields are reported and left out."""
    fields: dict[str, Entry] = dict(base.fields)
    asserts = list(base.asserts)
    seen: dict[str, ast.Field] = {}
    for entry in block.entries:
        if isinstance(entry, ast.Assert):
            asserts.append((entry, scope))
            continue
        name = entry.name.text
        if name not in base.shape.settings:
            # Only what is amiss takes the table of other systems' names.
            from .foreign_words import own_field

            own = own_field(name, base.shape.settings)
            findings.append(name_errors.unknown_field(base.shape.title, entry.name, base.shape.settings, own))
            meant = own.field if own is not None else closest(name, base.shape.settings)
            if meant is not None and meant not in seen:
                # What was misspelt is not missing: nothing that depends on it is reported again.
                fields[meant] = POISON
            continue
        if name in seen and not isinstance(entry.value, ast.Block):
            findings.append(name_errors.repeated_field(entry.name, seen[name].name.span))
            continue
        seen[name] = entry
        fields[name] = Written(entry.name, entry.value, scope, fields.get(name) if isinstance(entry.value, ast.Block) else None)
    fields.update(dict.fromkeys(_lost(base.shape, block, scope, seen), POISON))
    return replace(base, fields=fields, asserts=tuple(asserts))


def _lost(shape: type[Record], block: ast.Block, scope: Scope, written: Collection[str]) -> set[str]:
    """The fields that entries of a block may have set that could not be read: the one that is named there, or any."""
    lost: set[str] = set()
    for fault in faults_in(block, scope.module.file):
        named = words(fault) & shape.settings.keys()
        lost |= named or shape.settings.keys()
    return lost - set(written)


def variant_named(name: str) -> type[Record] | None:
    """The variant of that name where only one family has it."""
    found = [family.variants[name] for family in _families() if name in family.variants]
    return found[0] if len(found) == 1 else None


@cache
def members() -> frozenset[str]:
    """The words that mean something only where a type expects them: members of enums, variants, `auto`."""
    return frozenset(_members())


def _members() -> Iterator[str]:
    shapes = [
        *KINDS.values(),
        *Record.__subclasses__(),
        *(variant for family in _families() for variant in family.variants.values()),
    ]
    yield "auto"
    for shape in shapes:
        yield from shape.variants
        for setting in shape.settings.values():
            wanted = setting.type.item if isinstance(setting.type, ListOf) else setting.type
            yield from wanted.members if isinstance(wanted, Choice) else ()


def _families() -> list[type[Record]]:
    return [shape for shape in Record.__subclasses__() if shape.variants]
