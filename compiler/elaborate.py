"""From names to meaning: complete records for every declaration, the pipeline they make, and where each value came from."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.visitor import walk

from . import conversion, name_errors, type_errors
from .evaluate import Evaluator
from .origins import Origin, Origins, trail
from .resolve import Binding, Resolved, Scope
from .schema import KINDS, REQUIRED, ListOf, Record, Type
from .spec import PipelineSpec, StageSpec, scalars
from .values import Absent, Poison, RecordValue, Value, Written, WrittenText


@dataclass(frozen=True, slots=True)
class Assertion:
    """An `assert` and the path of the record whose fields its names mean; the empty path stands for none."""

    node: ast.Assert
    scope: Scope
    path: str


@dataclass(frozen=True)
class Elaborated:
    """The meaning of a spec. `pipeline` is None where errors left no stage whole; `records` are the declared ones, by path."""

    pipeline: PipelineSpec | None
    records: Mapping[str, Record]
    origins: Origins
    assertions: tuple[Assertion, ...]
    findings: tuple[Diagnostic, ...]


def elaborate(resolved: Resolved, settings: Mapping[str, ast.Expression]) -> Elaborated:
    """Every record of the spec; `settings` are what `--set` gives to params."""
    work = _Elaboration(resolved, settings)
    work.declarations()
    for name, scope in work.lets():
        work.evaluator.binding(scope, name, scope.bindings[name].span)
    pipeline = work.pipeline()
    return Elaborated(pipeline, work.records, Origins(work.origins), tuple(work.assertions), tuple(work.evaluator.findings))


@dataclass(frozen=True, slots=True)
class _Made:
    """A record made at `path`, with the origins and assertions below it; the value is kept, so that its id stays its own."""

    value: RecordValue
    record: Record
    path: str
    origins: list[tuple[str, Origin]]
    assertions: list[Assertion]


class _Elaboration:
    def __init__(self, resolved: Resolved, settings: Mapping[str, ast.Expression]):
        self.resolved = resolved
        self.settings = settings
        self.evaluator = Evaluator(resolved.root, settings)
        self.origins: dict[str, Origin] = {}
        self.written: list[tuple[str, Origin]] = []
        self.made: dict[tuple[int, bool], _Made] = {}
        self.records: dict[str, Record] = {}
        self.assertions = [
            Assertion(item, scope, "")
            for scope in self._own_scopes()
            for item in scope.module.file.items
            if isinstance(item, ast.Assert)
        ]

    def _own_scopes(self) -> list[Scope]:
        return [scope for scope in self.resolved.scopes.values() if not scope.module.is_standard]

    def declarations(self) -> None:
        """Completes the records declared in the spec's own files; pipelines last, because they hold stages."""
        templates = self._templates()
        found = [(scope, item) for scope in self._own_scopes() for item in scope.bindings.values()]
        for scope, item in sorted(found, key=lambda entry: _is_pipeline(entry[1])):
            if not isinstance(item, ast.Declaration) or item.kind.text not in KINDS:
                continue
            name = item.name.text
            path = name if scope is self.resolved.root else f"{scope.module.label}:{name}"
            value = self.evaluator.binding(scope, name, item.name.span)
            if isinstance(value, RecordValue):
                self.records[path] = self.record(value, path, complete=name not in templates)
                self.origins[path] = replace(self.origins[path], amends=not isinstance(item.value, ast.Block))

    def lets(self) -> Iterator[tuple[str, Scope]]:
        """Lets and params that can be computed before planning."""
        for scope in self._own_scopes():
            for name, item in scope.bindings.items():
                if isinstance(item, ast.Param) or (isinstance(item, ast.Let) and not reads_plan(item.value, scope)):
                    yield name, scope

    def _templates(self) -> set[str]:
        """Stages that a pipeline leaves out: they serve to be amended and need not be complete."""
        items = [item for item in self.resolved.root.bindings.values() if isinstance(item, ast.Declaration)]
        pipelines = [item for item in items if _is_pipeline(item)]
        if not pipelines:
            return set()
        used = {node.name for item in pipelines for node in walk(item.value) if isinstance(node, ast.Reference)}
        return {item.name.text for item in items if item.kind.text == "stage"} - used

    def pipeline(self) -> PipelineSpec | None:
        """The declared pipeline, or all stages of the spec under the name of its file."""
        own = {name: record for name, record in self.records.items() if name in self.resolved.root.bindings}
        declared = [record for record in own.values() if isinstance(record, PipelineSpec)]
        for other in declared[1:]:
            places = self.origins[other.name].span, self.origins[declared[0].name].span
            self.evaluator.findings.append(name_errors.second_pipeline(other.name, *places))
        if declared:
            return declared[0] if "stages" in declared[0].__dict__ else None
        stages = [record for record in own.values() if isinstance(record, StageSpec)]
        label = self.resolved.root.module.label.rpartition("/")[2].removesuffix(".train")
        # A file's name may hold what a folder's or a job's may not.
        return PipelineSpec(name=re.sub(r"[^A-Za-z0-9_]", "_", label), stages=stages) if stages else None

    # Records

    def record(self, value: RecordValue, path: str, complete: bool = True) -> Record:
        """The plain record, incomplete where a field failed or is missing; one that several records name is made once."""
        made = self.made.get((id(value), complete))
        if made is not None:
            return self._repeated(made, path)
        origins, assertions = len(self.written), len(self.assertions)
        record = self._record(value, path, complete)
        self.made[id(value), complete] = _Made(value, record, path, self.written[origins:], self.assertions[assertions:])
        return record

    def _repeated(self, made: _Made, path: str) -> Record:
        cut = len(made.path)
        for place, origin in made.origins:
            self._place(path + place[cut:], origin)
        self.assertions += [replace(entry, path=path + entry.path[cut:]) for entry in made.assertions]
        return made.record

    def _place(self, path: str, origin: Origin) -> None:
        self.origins[path] = origin
        self.written.append((path, origin))

    def _record(self, value: RecordValue, path: str, complete: bool) -> Record:
        self._place(path, Origin(value.span, True))
        self.assertions += [Assertion(node, scope, path) for node, scope in value.asserts]
        missing = [name for name, entry in value.shape.settings.items() if entry.default is REQUIRED and name not in value.fields]
        if missing and complete:
            title = f"{value.shape.title} {value.name}" if value.name else value.shape.variant or value.shape.title
            self.evaluator.findings.append(name_errors.missing_fields(title, missing, value.span))
        fields = {name: self._field(value, name, path) for name in value.shape.settings if name not in missing}
        if value.shape.kind:
            fields["name"] = value.name or value.shape.kind
        known = {name: field for name, field in fields.items() if not isinstance(field, Poison)}
        return value.shape(**fields) if len(known) == len(fields) and not missing else value.shape.incomplete(known)

    def _field(self, record: RecordValue, name: str, path: str) -> Any:
        entry = record.fields.get(name)
        place = f"{path}.{name}"
        span = record.span
        if isinstance(entry, Written):
            span = entry.name.span if isinstance(entry.value, ast.Block) else entry.value.span
            amends = isinstance(entry.value, ast.Amend) or entry.base is not None
            self._place(place, Origin(span, True, trail(entry.value, entry.scope, self.settings), amends=amends))
        else:
            self._place(place, Origin(span, entry is not None))
        value = self.evaluator.field(record, name, span)
        type = record.shape.settings[name].type
        if isinstance(entry, Written) and isinstance(value, str) and type == scalars.PATH:
            return _from_root(value, value.label if isinstance(value, WrittenText) else entry.scope.module.label)
        return self._plain(value, type, place)

    def _plain(self, value: Value, type: Type, place: str) -> Any:
        if isinstance(value, Poison):
            return value
        if isinstance(value, Absent):
            return None
        if isinstance(value, RecordValue):
            return self._nested(value, place)
        if isinstance(value, tuple) and isinstance(type, ListOf):
            items = [self._plain(item, type.item, f"{place}[{index}]") for index, item in enumerate(value)]
            return next((item for item in items if isinstance(item, Poison)), items)
        return conversion.plain(value, type)

    def _listed_stage(self, value: RecordValue, place: str) -> Any:
        root = self.resolved.root
        if value.name in root.bindings and self.evaluator.binding(root, value.name, value.span) is value:
            return self.records.get(value.name, Poison())
        listed = self.origins[place.partition("[")[0]].span
        self.evaluator.findings.append(type_errors.stage_not_declared(value.name, listed))
        return Poison()

    def _nested(self, value: RecordValue, place: str) -> Any:
        if value.shape is StageSpec:
            return self._listed_stage(value, place)
        origin = self.origins[place]
        inner = self.record(value, place)
        # A bare name leads to the record's own declaration, which every record that names it shares; anything else stands here.
        if origin.written and not origin.trail:
            self._place(place, origin)
        elif origin.written:
            self._place(place, replace(self.origins[place], use=origin.span))
        return inner


def _from_root(path: str, label: str) -> str:
    """A path written in the module `label` as one from the spec's folder."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(label), path))


def _is_pipeline(item: Binding) -> bool:
    return isinstance(item, ast.Declaration) and item.kind.text == "pipeline"


def reads_plan(node: ast.Expression, scope: Scope, seen: set[str] | None = None) -> bool:
    """Whether an expression reads a plan, itself or through a let."""
    # Each let is looked at once: followed along every path, lets that name two others would take time without end.
    seen = set() if seen is None else seen
    for part in walk(node):
        if isinstance(part, ast.Member) and part.name.text == "plan":
            return True
        if isinstance(part, ast.Reference) and part.name not in seen:
            seen.add(part.name)
            binding = scope.bindings.get(part.name)
            if isinstance(binding, ast.Let) and reads_plan(binding.value, scope, seen):
                return True
    return False
