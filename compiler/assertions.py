"""Evaluates every `assert` once the plan is known, and says what each part of a false one was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic, Related
from trainc.dsl.source import Span
from trainc.dsl.visitor import walk

from . import type_errors
from .elaborate import Assertion, Elaborated
from .evaluate import Evaluator
from .origins import Origins
from .plan import Plan, StagePlan
from .resolve import Resolved, Scope
from .schema import Record, RecordOf, setting
from .spec import BatchSpec, StageSpec
from .spec.figures import MemoryFigures, PlanFigures
from .units import Quantity
from .values import FieldScope, Poison, RecordValue, Symbol, Value, lift_record, show


class _PlannedStage(StageSpec):
    plan: PlanFigures = setting(RecordOf(PlanFigures), "figures of the plan")


def failed(
    elaborated: Elaborated, plan: Plan | None, resolved: Resolved, settings: Mapping[str, ast.Expression]
) -> tuple[Diagnostic, ...]:
    """A finding for each assertion that is false or cannot be evaluated; without a `plan`, none about stages."""
    # What an assertion says of a stage that has no plan cannot be known; any other record stands for itself.
    others = {path: record for path, record in elaborated.records.items() if not isinstance(record, StageSpec)}
    stages = {path: _figures(record, plan) for path, record in elaborated.records.items() if isinstance(record, StageSpec)}
    evaluator = Evaluator(resolved.root, settings, stages)
    for assertion in elaborated.assertions:
        _judge(assertion, evaluator, {**others, **stages}, elaborated.origins)
    return tuple(evaluator.findings)


def _figures(spec: StageSpec, plan: Plan | None) -> Record:
    planned = next((stage for stage in plan.stages if stage.spec is spec), None) if plan else None
    return _planned(planned) if planned else _PlannedStage.incomplete({})


def _planned(stage: StagePlan) -> Record:
    figures = PlanFigures(
        peak_memory=stage.memory.peak_bytes,
        peak_memory_breakdown=MemoryFigures(**{name.replace(" ", "_"): size for name, size in stage.memory.terms.items()}),
        total_steps=stage.length.total_steps,
        trainable_parameters=stage.parameters.trainable,
    )
    batch = stage.batch
    filled = BatchSpec(global_=batch.global_size, micro=batch.micro, accumulation=batch.accumulation)
    mesh = stage.spec.mesh.replace(split=list(stage.split))
    return _PlannedStage(**{**stage.spec.__dict__, "batch": filled, "mesh": mesh, "plan": figures})


def _judge(assertion: Assertion, evaluator: Evaluator, records: Mapping[str, Record], origins: Origins) -> None:
    scope = _scope(assertion, evaluator, records)
    if scope is None:
        return
    value = evaluator.expression(assertion.node.condition, scope, None)
    if value is True or isinstance(value, Poison):
        return
    span = assertion.node.condition.span
    if value is not False:
        evaluator.findings.append(type_errors.mismatch("a bool", f"`{show(value)}`", span))
        return
    reason = evaluator.expression(assertion.node.reason, scope, None) if assertion.node.reason else None
    parts = _parts(assertion.node.condition, scope, evaluator)
    values = ", ".join(f"`{node.span.text}` is {text}" for node, text in parts.items())
    places = tuple(_places(parts, assertion, origins))
    why = reason if isinstance(reason, str) else None
    evaluator.findings.append(type_errors.assertion_failed(span.text, why, values, span, places))


def _scope(assertion: Assertion, evaluator: Evaluator, records: Mapping[str, Record]) -> Scope | None:
    """The names of the assertion: those of its module, and of the record it stands in; None where that record does not run."""
    if not assertion.path:
        return assertion.scope
    # A path begins with its declaration, whose file may have a dot in its name.
    root = next((path for path in records if f"{assertion.path}.".startswith(f"{path}.")), None)
    if root is None:
        return None
    record: Value = lift_record(records[root])
    for name in assertion.path.removeprefix(root).split(".")[1:]:
        record = evaluator.field(record, name, None) if isinstance(record, RecordValue) else record
    if not isinstance(record, RecordValue):
        return None
    outer = assertion.scope
    return FieldScope(outer.module, outer.bindings, outer.imported, record, outer)


def _parts(condition: ast.Expression, scope: Scope, evaluator: Evaluator) -> dict[ast.Expression, str]:
    """Every part of a condition that is no literal, with its value, in the order they are written."""
    shown: dict[ast.Expression, str] = {}
    inner: set[int] = set()
    known = len(evaluator.findings)
    for node in walk(condition):
        if node is condition or id(node) in inner or isinstance(node, ast.Number | ast.String | ast.Boolean | ast.ListLiteral):
            continue
        if isinstance(node, ast.Member):
            inner |= {id(part) for part in walk(node.base)}
        value = evaluator.expression(node, scope, None)
        if isinstance(value, Quantity | bool | str | Symbol | tuple):
            shown[node] = show(value)
    # A bare enum member has a meaning beside its operator only; alone it is no finding.
    del evaluator.findings[known:]
    return shown


def _places(parts: Mapping[ast.Expression, str], assertion: Assertion, origins: Origins) -> Iterator[Related]:
    """Where the values of names were written; what is derived, or left to its default, was not."""
    for node, text in parts.items():
        span = _written_at(node, assertion, origins)
        if span is not None and (span.source, span.line) != (node.span.source, node.span.line):
            yield Related(span, f"`{node.span.text}` is {text}")


def _written_at(node: ast.Expression, assertion: Assertion, origins: Origins) -> Span | None:
    path = _dotted(node)
    if not path:
        return None
    binding = assertion.scope.bindings.get(path)
    if isinstance(binding, ast.Let | ast.Param):
        return binding.span
    for prefix in (f"{assertion.path}.", "", f"{assertion.scope.module.label}:"):
        origin = origins.by_path.get(f"{prefix}{path}")
        if origin is not None:
            return origin.span if origin.written else None
    return None


def _dotted(node: ast.Expression) -> str:
    """`a.b.c` of a reference and its members, empty for anything else."""
    if isinstance(node, ast.Reference):
        return node.name
    base = _dotted(node.base) if isinstance(node, ast.Member) else ""
    return f"{base}.{node.name.text}" if base and isinstance(node, ast.Member) else ""
