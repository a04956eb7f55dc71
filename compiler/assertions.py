"""Evaluates every `assert` once the plan is known, and says what each part of a false one was."""

from __future__ import annotations

from collections.abc import Mapping

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.visitor import walk

from . import type_errors
from .elaborate import Assertion, Elaborated
from .evaluate import Evaluator
from .plan import Plan, StagePlan
from .resolve import Resolved, Scope
from .schema import Record, RecordOf, setting
from .spec import BatchSpec, StageSpec, scalars
from .units import Quantity
from .values import FieldScope, Poison, RecordValue, Symbol, Value, lift_record, show


class PlanFigures(Record, part="plan"):
    """What a stage's plan offers to assertions."""

    peak_memory: int = setting(scalars.BYTES, "predicted bytes a rank at the peak")
    total_steps: int = setting(scalars.STEPS, "optimizer steps")
    trainable_parameters: int = setting(scalars.COUNT, "parameters that train")


class _PlannedStage(StageSpec):
    plan: PlanFigures = setting(RecordOf(PlanFigures), "figures of the plan")


def failed(
    elaborated: Elaborated, plan: Plan | None, resolved: Resolved, settings: Mapping[str, ast.Expression]
) -> tuple[Diagnostic, ...]:
    """A finding for each assertion that is false or cannot be evaluated; without a `plan`, none about stages."""
    # What an assertion says of a stage that has no plan cannot be known; any other record stands for itself.
    others = {path: record for path, record in elaborated.records.items() if not isinstance(record, StageSpec)}
    unplanned = elaborated.records.keys() - others.keys()
    stages = (
        {stage.name: _planned(stage) for stage in plan.stages} if plan else dict.fromkeys(unplanned, _PlannedStage.incomplete({}))
    )
    evaluator = Evaluator(resolved.root, settings, stages)
    for assertion in elaborated.assertions:
        _judge(assertion, evaluator, {**others, **stages})
    return tuple(evaluator.findings)


def _planned(stage: StagePlan) -> Record:
    figures = PlanFigures(
        peak_memory=stage.memory.peak_bytes,
        total_steps=stage.length.total_steps,
        trainable_parameters=stage.parameters.total,
    )
    batch = stage.batch
    filled = BatchSpec(global_=batch.global_size, micro=batch.micro, accumulation=batch.accumulation)
    return _PlannedStage(**{**stage.spec.__dict__, "batch": filled, "plan": figures})


def _judge(assertion: Assertion, evaluator: Evaluator, records: Mapping[str, Record]) -> None:
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
    values = _values(assertion.node.condition, scope, evaluator)
    evaluator.findings.append(type_errors.assertion_failed(span.text, reason if isinstance(reason, str) else None, values, span))


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


def _values(condition: ast.Expression, scope: Scope, evaluator: Evaluator) -> str:
    """The value of every name in a condition: ``a.b` is 3, `c` is 4``."""
    shown: dict[str, str] = {}
    inner: set[int] = set()
    known = len(evaluator.findings)
    for node in walk(condition):
        if not isinstance(node, ast.Member | ast.Reference) or id(node) in inner:
            continue
        inner |= {id(part) for part in walk(node)}
        value = evaluator.expression(node, scope, None)
        if isinstance(value, Quantity | bool | str | Symbol | tuple):
            shown[node.span.text] = show(value)
    # A bare enum member has a meaning beside its operator only; alone it is no finding.
    del evaluator.findings[known:]
    return ", ".join(f"`{name}` is {text}" for name, text in shown.items())
