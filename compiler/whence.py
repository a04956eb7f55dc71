"""Says where a value of a resolved spec comes from: its default, or a place, the name behind it, and what brings it here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trainc.dsl import ast
from trainc.dsl.source import Source, Span
from trainc.dsl.visitor import item_at

from .loader import Library
from .origins import Origin, Origins

SORTS = ("default", "written", "let", "param", "set")


@dataclass(frozen=True, slots=True)
class Whence:
    """The origin of one value; places are `file:line`.

    `sort` is one of SORTS, and `name` that of the let or param. `via` is where the record that holds the
    value is named or amended, if the value itself stands in another declaration; `amended` says which of the two.
    """

    sort: str
    place: str | None = None
    name: str | None = None
    via: str | None = None
    amended: bool = False

    def __str__(self) -> str:
        if self.sort == "default":
            return "default"
        own = f"--set {self.name}" if self.sort == "set" else f"{self.place}"
        named = f"{own} ({self.sort} {self.name})" if self.sort in ("let", "param") else own
        return f"{named}, {'amended' if self.amended else 'named'} at {self.via}" if self.via else named


class Origination:
    """Answers for the paths of one spec; `name` is what places call a source, by default the same on every machine."""

    def __init__(self, origins: Origins, library: Library, name: Callable[[Source], str] | None = None):
        self._origins = origins
        self._name = name or library.label
        self._modules = {id(module.file.source): module for module in library.modules.values()}

    def whence(self, path: str) -> Whence:
        """Where the value at a path comes from."""
        origin = self._origins.by_path.get(path)
        if origin is None or origin.span is None or not origin.written:
            return Whence("default")
        via, amended = self._via(path, origin.span)
        sort, name = self._sort(origin)
        decisive = origin.decisive or origin.span
        return Whence(sort, None if sort == "set" else self._label(decisive), name, via, amended)

    def _sort(self, origin: Origin) -> tuple[str, str | None]:
        """What kind of name is the last behind a value, if it is written as a name."""
        if not origin.trail:
            return "written", None
        last = origin.trail[-1].span
        if last.source.name.startswith("--set "):
            return "set", last.source.name.removeprefix("--set ")
        match self._item(last):
            case ast.Let(name=name):
                return "let", name.text
            case ast.Param(name=name):
                return "param", name.text
        return "written", None

    def _via(self, path: str, span: Span) -> tuple[str | None, bool]:
        """The nearest record around a value that stands in the same declaration as the whole, where the value does not."""
        root = self._origins.by_path.get(path.partition(".")[0])
        home = self._item(root.span) if root is not None and root.span is not None else None
        if home is None or self._item(span) is home:
            return None, False
        while path:
            origin = self._origins[path]
            if origin.use is not None and self._item(origin.use) is home:
                return self._label(origin.use), False
            if origin.span is not None and self._item(origin.span) is home:
                return self._label(origin.span), origin.amends
            path = path.rpartition(".")[0]
        return None, False

    def _item(self, span: Span) -> ast.Item | None:
        """The declaration, let or param that a place belongs to."""
        module = self._modules.get(id(span.source))
        return item_at(module.file, span.start) if module is not None else None

    def _label(self, span: Span) -> str:
        return f"{self._name(span.source)}:{span.line}"
