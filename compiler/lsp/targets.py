"""What a word of a spec can mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from trainc.dsl.source import Span

from ..loader import Module
from ..resolve import Binding, Scope
from ..schema import Choice, Record, Setting
from ..values import RecordValue


@dataclass(frozen=True, slots=True)
class NameTarget:
    """A name that a module binds."""

    scope: Scope
    name: str

    @property
    def binding(self) -> Binding:
        """The item that binds it."""
        return self.scope.bindings[self.name]


@dataclass(frozen=True, slots=True)
class FieldTarget:
    """A field of a record; `record` is the one it is written in or read from, `base` the one that is amended, where known."""

    shape: type[Record]
    name: str
    record: RecordValue | None = field(default=None, compare=False)
    base: RecordValue | None = field(default=None, compare=False)

    @property
    def setting(self) -> Setting:
        """Its declaration in the schema."""
        return self.shape.settings[self.name]


@dataclass(frozen=True, slots=True)
class MemberTarget:
    """A word of an enum, as the value of a field where there is one."""

    choice: Choice
    text: str
    of: FieldTarget | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ShapeTarget:
    """A kind or a variant."""

    shape: type[Record]


@dataclass(frozen=True, slots=True)
class ModuleTarget:
    """A module, where an import names it."""

    module: Module


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A function of the language."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeTarget:
    """The type of a param."""

    name: str


Target = NameTarget | FieldTarget | MemberTarget | ShapeTarget | ModuleTarget | FunctionTarget | TypeTarget


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A word that means something, where it stands; `declares` where it is its own declaration."""

    span: Span
    target: Target
    declares: bool = False
