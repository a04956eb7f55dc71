"""Values as hover shows them: amounts in other units, records with what their fields have in the end, places as links."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl import ast
from trainc.dsl.source import Span

from ..origins import trail
from ..spec import BatchSpec
from ..units import Quantity
from ..values import Absent, Poison, RecordValue, Value, Written, show
from .amounts import spellings
from .snapshot import Snapshot
from .spot import Spot
from .targets import FieldTarget


def field_value(target: FieldTarget, spot: Spot) -> Iterator[str]:
    """The value of a field, and the places behind it."""
    record = target.record
    if record is None:
        return
    value = spot.view.snapshot.evaluator.field(record, target.name, None)
    if isinstance(value, Absent):
        planned = planned_batch(record, target.name, spot.view.snapshot)
        yield f"Value: `{planned}`, derived when the stage is planned." if planned is not None else ""
        return
    yield resolved(value, spot) if isinstance(value, RecordValue) else shown(value)
    entry = record.fields.get(target.name)
    if isinstance(entry, Written):
        yield from _origin(entry, spot)
    elif not isinstance(value, Poison):
        yield "Nothing sets it: this is the default."


def _origin(entry: Written, spot: Spot) -> Iterator[str]:
    span = entry.name.span if isinstance(entry.value, ast.Block) else entry.value.span
    yield f"Set at {place_of(span, spot)}"
    for step in trail(entry.value, entry.scope, {}):
        yield f"{step.message.removesuffix(' here')} {place_of(step.span, spot)}"


def planned_batch(record: RecordValue, name: str, snapshot: Snapshot) -> int | None:
    """What the plan derives for a batch size that is left out."""
    plan, evaluator = snapshot.analysis.plan, snapshot.evaluator
    if plan is None or record.shape is not BatchSpec:
        return None
    for stage in plan.stages:
        value = evaluator.binding(evaluator.root, stage.name, None) if stage.name in evaluator.root.bindings else None
        if isinstance(value, RecordValue) and evaluator.field(value, "batch", None) is record:
            sizes = {"global": stage.batch.global_size, "micro": stage.batch.micro, "accumulation": stage.batch.accumulation}
            return sizes[name]
    return None


def shown(value: Value) -> str:
    """A value, and the same amount in other units."""
    match value:
        case Poison() | Absent():
            return ""
        case Quantity():
            first, *others = spellings(value)
            return "Value: " + " = ".join([f"`{first}`", *others])
    return f"Value: `{show(value)}`"


def resolved(record: RecordValue, spot: Spot) -> str:
    """A record with the values that its fields have in the end."""
    evaluator = spot.view.snapshot.evaluator
    values = {name: evaluator.field(record, name, None) for name in record.shape.settings}
    lines = [f"  {name} = {show(value)}" for name, value in values.items() if not isinstance(value, Poison | Absent)]
    head = " ".join(dict.fromkeys(word for word in (record.shape.title, record.name) if word))
    return "\n".join(["```train", f"{head} {{", *lines, "}", "```"]) if lines else f"Value: `{show(record)}`"


def place_of(span: Span, spot: Spot) -> str:
    """A link to a place."""
    location = spot.places.location(span)
    if location is None:
        return f"`{span}`"
    name = spot.view.snapshot.library.label(span.source)
    return f"[{name}:{span.line}]({location.uri}#L{location.range.start.line + 1})"
