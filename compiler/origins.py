"""Where each value of a spec was written: the spans behind every field, by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trainc.dsl import ast
from trainc.dsl.diagnostics import Related
from trainc.dsl.source import Span

from .resolve import Binding, Scope, bound_name


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of a field's value, or of the record that leaves it to its default; `trail` follows names to what they mean.

    A record's `use` is where a field names it, when `span` is its declaration; `amends` says that it is another one amended.
    """

    span: Span | None
    written: bool
    trail: tuple[Related, ...] = ()
    use: Span | None = None
    amends: bool = False

    @property
    def decisive(self) -> Span | None:
        """The span whose text decides the value, behind all names; None for a default."""
        if not self.written:
            return None
        return self.trail[-1].span if self.trail else self.span


@dataclass(frozen=True)
class Origins:
    """Origins by path: `sft.batch.micro`."""

    by_path: Mapping[str, Origin]

    def __getitem__(self, path: str) -> Origin:
        """The origin of a path, or of the nearest record around it."""
        while path not in self.by_path and "." in path:
            path = path.rpartition(".")[0]
        return self.by_path.get(path, Origin(None, False))

    def place(self, path: str) -> str | None:
        """`file:line` of what decides a value, `--set name` for a param given so; None for a default."""
        span = self.by_path[path].decisive if path in self.by_path else None
        if span is None:
            return None
        # What --set gives is a text of one line that stands in no file.
        return span.source.name if span.source.name.startswith("--set ") else str(span)


def trail(node: ast.Expression | ast.Block, scope: Scope, settings: Mapping[str, ast.Expression]) -> tuple[Related, ...]:
    """The places that a bare reference leads to: a let, a param, and the `--set` that overrides it."""
    found: list[Related] = []
    seen: set[str] = set()
    while isinstance(node, ast.Reference) and node.name in scope.bindings and node.name not in seen:
        seen.add(node.name)
        binding = scope.bindings[node.name]
        found.append(Related(bound_name(binding)[1], f"`{node.name}` comes from here"))
        following = _value(binding, settings)
        if following is None:
            break
        if isinstance(binding, ast.Param) and following is not binding.default:
            found.append(Related(following.span, "set on the command line"))
        node = following
    return tuple(found)


def _value(binding: Binding, settings: Mapping[str, ast.Expression]) -> ast.Expression | None:
    match binding:
        case ast.Let():
            return binding.value
        case ast.Param():
            return settings.get(binding.name.text, binding.default)
    return None
