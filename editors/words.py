"""The words of the language for the grammars, read from the schema, the evaluator and the lexer."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiler.evaluate import PARAM_TYPES
from trainc.compiler.operators import FUNCTIONS
from trainc.compiler.reference import shapes
from trainc.compiler.schema import Choice, ListOf, Type
from trainc.compiler.spec import KINDS
from trainc.dsl.lexer import WORDS as RESERVED

CONTROL = ("if", "then", "else")
OPERATORS = ("and", "or", "not", "in")
BOOLEANS = ("true", "false")


def kinds() -> tuple[str, ...]:
    """The kinds that can be declared."""
    return tuple(sorted(KINDS))


def variants() -> tuple[str, ...]:
    """The names of all variants."""
    return tuple(sorted({shape.variant for shape in shapes().values() if shape.variant}))


def members() -> tuple[str, ...]:
    """The members of all enum fields that are neither a variant nor a word of the language."""
    found = {member for shape in shapes().values() for entry in shape.settings.values() for member in _members(entry.type)}
    return tuple(sorted(found - set(variants()) - set(RESERVED)))


def functions() -> tuple[str, ...]:
    """The functions of the language."""
    return tuple(sorted(FUNCTIONS))


def param_types() -> tuple[str, ...]:
    """What can stand after a param's colon."""
    return tuple(sorted({*PARAM_TYPES, *KINDS}))


def _members(wanted: Type) -> Iterator[str]:
    if isinstance(wanted, ListOf):
        yield from _members(wanted.item)
    elif isinstance(wanted, Choice):
        yield from wanted.members
