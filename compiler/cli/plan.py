"""`trainc plan`: what will happen."""

from __future__ import annotations

import json
from collections.abc import Mapping

import click

from ..adapters import targets
from ..plan import Plan, StagePlan
from ..planfile import plan_facts
from ..units import format_count, format_gib
from . import shared


@click.command(epilog="Example: trainc plan examples/quickstart/quickstart.train")
@click.argument("spec")
@shared.params
@click.option("--stage", help="Only this stage.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="For people or programs.")
def command(spec: str, sets: tuple[str, ...], params: str | None, stage: str | None, style: str) -> None:
    """Say what SPEC will do before any GPU is taken: ranks, batches, steps, parameters, memory by term."""
    plan = shared.sound(spec, shared.settings(sets, params)).plan
    assert plan is not None
    stages = [entry for entry in plan.stages if stage in (None, entry.name)]
    if not stages:
        raise click.UsageError(f"no stage `{stage}`; the spec has {', '.join(entry.name for entry in plan.stages)}")
    if style == "json":
        facts = [plan_facts(plan.pipeline, entry) for entry in stages]
        print(json.dumps({"format_version": 1, "pipeline": plan.pipeline, "stages": facts}, indent=2, sort_keys=True))
        return
    print("\n\n".join(_text(plan, entry) for entry in stages))


def _text(plan: Plan, stage: StagePlan) -> str:
    rows = [*_spread(stage), *_length(stage), *_memory(stage)]
    width = max(len(name) for name, _, _ in rows)
    lines = [f"stage {stage.name} of {plan.pipeline}" + (f", after {', '.join(stage.needs)}" if stage.needs else "")]
    lines += [f"  {name:<{width}}  {value:<24}  {note}".rstrip() for name, value, note in rows]
    return "\n".join(lines)


def _spread(stage: StagePlan) -> list[tuple[str, str, str]]:
    mesh, batch = stage.spec.mesh, stage.batch
    cluster = mesh.cluster
    degrees = {axis: getattr(mesh, axis) for axis in ("pp", "dp_replicate", "dp_shard", "cp", "tp")}
    axes = " x ".join(f"{axis} {degree}" for axis, degree in degrees.items() if degree > 1) or "one rank"
    split = [("split", ", ".join(map(str, stage.split)), f"layers of each group, {mesh.schedule}")] if mesh.pp > 1 else []
    return [
        ("ranks", str(cluster.world_size), f"{cluster.nodes} x {cluster.gpus_per_node} {cluster.gpu.name}"),
        ("mesh", axes, f"strategy {stage.spec.strategy.variant}"),
        *split,
        ("parameters", format_count(stage.parameters.total), ", ".join(_terms(stage.parameters.terms))),
        *_adapter(stage),
        ("batch", f"{batch.global_size} samples", f"{batch.micro} micro x {batch.accumulation} x {batch.data_parallel} ranks"),
    ]


def _adapter(stage: StagePlan) -> list[tuple[str, str, str]]:
    """What trains, where that is not the whole model."""
    adapter, parameters = stage.spec.adapter, stage.parameters
    if adapter is None:
        return []
    share = parameters.trainable / (parameters.total + parameters.trainable)
    matrices = ", ".join(targets(adapter, stage.spec.model.architecture))
    return [("trainable", format_count(parameters.trainable), f"{share:.2%}, {adapter.variant} of {matrices}")]


def _terms(terms: Mapping[str, int]) -> list[str]:
    return [f"{name} {format_count(count)}" for name, count in terms.items()]


def _length(stage: StagePlan) -> list[tuple[str, str, str]]:
    length, tokens = stage.length, stage.total_tokens
    known = "as many as the data makes" if tokens is None else f"{format_count(tokens)} tokens"
    warmup = stage.spec.schedule.warmup.words if length.warmup_steps is None else f"{length.warmup_steps} steps"
    return [
        ("steps", stage.steps, f"{known}, {format_count(length.tokens_per_step)} a step"),
        ("schedule", stage.spec.schedule.variant, f"warmup {warmup}"),
    ]


def _memory(stage: StagePlan) -> list[tuple[str, str, str]]:
    memory = stage.memory
    share = memory.peak_bytes / stage.spec.mesh.cluster.gpu.memory
    rows = [("peak memory", format_gib(memory.peak_bytes), f"a rank, {share:.0%} of {stage.spec.mesh.cluster.gpu.name}")]
    return rows + [(f"  {name}", format_gib(value), memory.derivations.get(name, "")) for name, value in memory.terms.items()]
