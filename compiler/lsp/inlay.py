"""Inlay hints: what the plan derives, beside what it follows from."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types
from trainc.dsl import ast

from ..families import family
from ..plan import StagePlan
from ..schema import UnknownField
from ..spec import ModelSpec
from ..units import format_count
from .spot import Spot


def inlay_hints(spot: Spot, start: int, end: int) -> list[types.InlayHint]:
    """Accumulation, steps and parameters of the stages and models declared in a piece of a document."""
    declarations = [item for item in spot.view.file.items if isinstance(item, ast.Declaration)]
    near = [item for item in declarations if item.span.start <= end and start <= item.span.end]
    return [hint for item in near for hint in (*_stage(item, spot), *_model(item, spot))]


def _stage(item: ast.Declaration, spot: Spot) -> Iterator[types.InlayHint]:
    plan = spot.view.snapshot.analysis.plan
    is_root = spot.view.module is spot.view.snapshot.library.root
    stage = next((stage for stage in plan.stages if stage.name == item.name.text), None) if plan and is_root else None
    if stage is None or item.kind.text != "stage":
        return
    for field in _fields(item.value):
        text = _derived(field, stage)
        if text is not None:
            yield _hint(field.span.end, text[0], text[1], spot)


def _derived(field: ast.Field, stage: StagePlan) -> tuple[str, str] | None:
    """What follows from a field, and how."""
    batch, length = stage.batch, stage.length
    match field.name.text:
        case "batch" if not _sets(field.value, "accumulation"):
            how = (
                f"{batch.global_size} = {batch.micro} x {batch.accumulation} x {stage.spec.mesh.data_parallel} data-parallel ranks"
            )
            return f"accumulation = {batch.accumulation}", how
        case "duration" if length.total_steps is not None and not field.value.span.text.endswith(("step", "steps")):
            return f"{length.total_steps:,} steps", f"{length.tokens_per_step:,} tokens a step, {stage.total_tokens:,} in all"
        case "model":
            return f"{format_count(stage.parameters.total)} parameters", f"{stage.parameters.total:,} parameters"
    return None


def _model(item: ast.Declaration, spot: Spot) -> Iterator[types.InlayHint]:
    if item.kind.text != "model":
        return
    module = spot.view.module
    is_root = module is spot.view.snapshot.library.root
    path = item.name.text if is_root else f"{module.label}:{item.name.text}"
    model = spot.view.snapshot.analysis.elaborated.records.get(path)
    total = _parameters(model) if isinstance(model, ModelSpec) else None
    if total is not None:
        yield _hint(item.name.span.end, f"{format_count(total)} parameters", f"{total:,} parameters", spot)


def _parameters(model: ModelSpec) -> int | None:
    """The parameters of a model; None where a field that they follow from failed."""
    try:
        return sum(family(model.architecture.family).parameters(model.architecture).values())
    except UnknownField:
        return None


def _fields(value: ast.Expression | ast.Block) -> list[ast.Field]:
    block = value.block if isinstance(value, ast.Amend) else value
    return [entry for entry in block.entries if isinstance(entry, ast.Field)] if isinstance(block, ast.Block) else []


def _sets(value: ast.Expression | ast.Block, name: str) -> bool:
    return any(field.name.text == name for field in _fields(value))


def _hint(offset: int, label: str, why: str, spot: Spot) -> types.InlayHint:
    return types.InlayHint(spot.lines.position(offset), label, padding_left=True, tooltip=why)
