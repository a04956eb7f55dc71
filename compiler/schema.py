"""How kinds and variants are declared: one Python class each is the single source for values, errors and documentation.

A `Record` subclass lists its settings; its instances are the frozen values that rules and the planner read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, dataclass_transform

from .effect import Effect
from .units import Dimension, Quantity, format_quantity


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number of one of `dimensions`; `integer` ones reject a fraction; bounds are in base units, inclusive.

    `auto` ones may be left to the planner by that word.
    """

    word: str
    dimensions: tuple[Dimension, ...]
    integer: bool = False
    minimum: float | None = None
    maximum: float | None = None
    exclusive: bool = False
    auto: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """`true` or `false`."""

    word: str = "bool"


@dataclass(frozen=True, slots=True)
class Text:
    """A string; a `path` is relative to the file it is written in."""

    word: str = "string"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few bare names."""

    members: tuple[str, ...]

    @property
    def word(self) -> str:
        """The members as a sentence's words."""
        return " | ".join(self.members)


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[item, ...]`."""

    item: Type
    length: int | None = None

    @property
    def word(self) -> str:
        """The item's word in brackets."""
        return f"[{self.item.word}]"


@dataclass(frozen=True, slots=True)
class RecordOf:
    """A record of one kind, or of any variant of a family."""

    shape: type[Record]

    @property
    def word(self) -> str:
        """The kind's or family's name."""
        return self.shape.title


Type = Scalar | Flag | Text | Choice | ListOf | RecordOf


@dataclass(frozen=True, slots=True)
class Extent:
    """A length of training: `unit` is STEPS, EPOCHS, TOKENS, SAMPLES, or PERCENT of the run."""

    value: int | float
    unit: Dimension

    @property
    def words(self) -> str:
        """As a user would write it: `500 steps`, `3%`."""
        return format_quantity(Quantity(self.value, self.unit))


REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Setting:
    """One field: its type, default and one-line documentation.

    `later` names the values that are not built yet: True stands for all but the default, words for enum members.
    `effect` is what another value does to a run that has begun; a record's own stands for fields that state none. `optional` ones
    may be left out by the word `none`, whatever their default is.
    """

    type: Type
    doc: str
    default: Any
    later: bool | tuple[str, ...]
    effect: Effect | None
    optional: bool

    @property
    def required(self) -> bool:
        """Whether a record is incomplete without it."""
        return self.default is REQUIRED

    def is_later(self, value: Any) -> bool:
        """Whether a value of the field is not built yet."""
        if isinstance(self.later, bool):
            return self.later and value != self.default
        return value in self.later


def setting(
    type: Type,
    doc: str,
    *,
    default: Any = REQUIRED,
    later: bool | tuple[str, ...] = False,
    effect: Effect | None = None,
    optional: bool = False,
) -> Any:
    """Declares a field of a Record; the default None means left out, `optional` that it can be although its default is a value."""
    return Setting(type, doc, default, later, effect, optional or default is None)


class UnknownField(Exception):  # noqa: N818 - a state of the spec, not a fault of the program
    """A rule reads a field that failed already: what it would find depends on that."""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(setting,))
class Record:
    """A frozen record. Subclass with `kind=` for a declarable kind, `family=` for a family, `variant=` for a member of one.

    `effect=` is that of the fields which state none of their own; variants have their family's.
    """

    title: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    variant: ClassVar[str] = ""
    later: ClassVar[bool] = False
    effect: ClassVar[Effect | None] = None
    settings: ClassVar[dict[str, Setting]] = {}
    variants: ClassVar[dict[str, type[Record]]] = {}

    def __init_subclass__(
        cls,
        kind: str = "",
        family: str = "",
        variant: str = "",
        part: str = "",
        later: bool = False,
        effect: Effect | None = None,
    ):
        cls.effect = effect or cls.effect
        own = {name: entry for name, entry in vars(cls).items() if isinstance(entry, Setting)}
        for name in own:
            delattr(cls, name)
        # A trailing underscore keeps Python's own words apart: `global_` is the field `global`.
        stated = {name.rstrip("_"): replace(entry, effect=entry.effect or cls.effect) for name, entry in own.items()}
        cls.settings = {**cls.settings, **stated}
        cls.kind, cls.variant, cls.later = kind or cls.kind, variant, later
        cls.title = kind or family or variant or part or cls.title
        if family:
            cls.variants = {}
        if variant:
            cls.variants[variant] = cls
        if kind:
            KINDS[kind] = cls

    def __init__(self, **values: Any):
        values = {name.rstrip("_"): value for name, value in values.items()}
        if self.kind:
            self.__dict__["name"] = values.pop("name", "")
        for name, entry in self.settings.items():
            if name not in values and entry.required:
                raise TypeError(f"{type(self).__name__} needs {name}")
            self.__dict__[name] = values.pop(name, entry.default)
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    @classmethod
    def incomplete(cls, known: dict[str, Any]) -> Self:
        """A record of which some fields are not known, because they failed: reading one of those raises UnknownField."""
        record = cls.__new__(cls)
        record.__dict__.update(known)
        return record

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__[name.rstrip("_")]
        except KeyError:
            if name.rstrip("_") in self.settings:
                raise UnknownField(name) from None
            raise AttributeError(f"{type(self).__name__} has no {name}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *map(repr, self.__dict__.values())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def replace(self, **values: Any) -> Self:
        """The record with some fields set anew."""
        return type(self)(**{**self.__dict__, **values})


KINDS: dict[str, type[Record]] = {}
