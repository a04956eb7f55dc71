"""From a plan to programs: which calls each stage's train.py makes, in order, and the line of the spec behind each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .families import family
from .loader import Library
from .origins import Origins
from .plan import Plan, StagePlan
from .spec import StageSpec, Zero1, Zero2, Zero3


@dataclass(frozen=True, slots=True)
class Call:
    """One line of train.py; `origin` is `file:line what`, empty for lines that the spec does not decide."""

    code: str
    origin: str


@dataclass(frozen=True, slots=True)
class Program:
    """What one stage does. `modules` and `parts` are what it imports of the runtime; `parts` as (package, module)."""

    stage: StagePlan
    folder: str
    modules: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    calls: tuple[Call, ...]


def lower(plan: Plan, origins: Origins, library: Library) -> tuple[Program, ...]:
    """The programs of a plan's stages, in order of execution."""
    return tuple(
        _program(stage, f"{position * 10}-{stage.name}", origins, library) for position, stage in enumerate(plan.stages, start=1)
    )


def _program(stage: StagePlan, folder: str, origins: Origins, library: Library) -> Program:
    spec = stage.spec
    modules = {"checkpoint", "data", "model", "optim", "stage", "trainer"}
    chosen = {
        "float8": spec.precision.compute == "fp8",
        "quantization": spec.model.quantization != "none",
        "recompute": spec.recompute != "none",
        "compilation": spec.compile,
        "length": _in_epochs(stage),
        "expert_bias": _bias_update_rate(spec),
        "scaling": _scales(spec),
    }
    modules |= {name for name, wanted in chosen.items() if wanted}
    axes = tuple(("axes", axis) for axis in _split_axes(stage))
    parts = [("adapters", spec.adapter.variant)] if spec.adapter else []
    parts += [*axes, ("engines", _engine(stage)), ("objectives", spec.objective.variant)]
    parts += [] if _engine(stage) in _OPTIMIZERS else [("optimizers", spec.optimizer.variant)]
    parts += [("parallel", spec.strategy.variant)]
    calls = tuple(Call(code, _origin(stage.name, field, origins, library)) for field, code in _calls(stage))
    return Program(stage, folder, tuple(sorted(modules)), tuple(parts), calls)


def _calls(stage: StagePlan) -> Iterator[tuple[str, str]]:
    """The field that decides each call, and the call."""
    spec = stage.spec
    yield "data", "corpus = data.prepare(plan.data, run)"
    if _in_epochs(stage):
        yield "duration", "run, plan = length.measured(run, corpus)"
    yield "model", "network = model.build(plan.model, corpus, run)"
    if spec.model.quantization != "none":
        yield "model.quantization", "quantization.apply(network, plan)"
    if spec.adapter:
        yield "adapter", f"{spec.adapter.variant}.apply(network, plan.adapter)"
    if spec.precision.compute == "fp8":
        yield "precision.compute", "float8.convert(network, run, plan)"
    for axis in _split_axes(stage):
        yield f"mesh.{axis}", f"{axis}.apply(network, run, plan)"
    if spec.recompute != "none":
        yield "recompute", f"recompute.{spec.recompute}(network, plan.recompute_every)"
    if spec.compile:
        yield "compile", "compilation.compile_layers(network, run, plan)"
    yield "strategy", f"network = {spec.strategy.variant}.apply(network, run, plan)"
    yield "model", "model.load(network, plan.model, run)"
    if rate := _bias_update_rate(spec):
        yield "model.architecture.router_bias_update_rate", f"expert_bias.steer(network, run, rate={rate!r})"
    yield "optimizer", _OPTIMIZERS.get(_engine(stage), _TORCH_OPTIMIZER).format(spec.optimizer.variant)
    yield "schedule", f"schedule = optim.{spec.schedule.variant}(optimizer, plan.schedule)"
    if _scales(spec):
        yield "precision.loss_scaling", "scale = scaling.dynamic()"
    start, loss = _ENGINES[_engine(stage)]
    parts = "optimizer, schedule, scale" if _scales(spec) else "optimizer, schedule"
    yield "objective", f"engine = {start}(run, network, {spec.objective.variant}.{loss}, {parts})"
    yield "duration", "trainer.fit(run, engine, corpus)"
    yield "", "checkpoint.export(network, corpus, run)"


def _bias_update_rate(spec: StageSpec) -> float:
    """0 for models that have no such biases."""
    architecture = spec.model.architecture
    reads = family(architecture.family).reads
    return float(architecture.router_bias_update_rate) if "router_bias_update_rate" in reads else 0.0


def _in_epochs(stage: StagePlan) -> bool:
    """Whether only the data tells how many steps the run, its warmup or its decay has."""
    return None in (stage.length.total_steps, stage.length.warmup_steps, stage.length.decay_steps)


def _scales(spec: StageSpec) -> bool:
    return spec.precision.loss_scaling == "dynamic"


# A pipeline works with the logits of its last part, the others with the whole network. DeepSpeed brings an optimizer of its own for
# states in host memory, so its engine's module makes it.
_ENGINES = {
    "autograd": ("autograd.Autograd", "loss"),
    "pipeline": ("pipeline.Pipeline", "summed"),
    "deepspeed": ("deepspeed.start", "loss"),
}
_OPTIMIZERS = {"deepspeed": "optimizer = deepspeed.{}(network, plan)"}
_TORCH_OPTIMIZER = "optimizer = {}.build(network, plan.optimizer)"


def _engine(stage: StagePlan) -> str:
    """The module of the engine that trains a stage."""
    if isinstance(stage.spec.strategy, Zero1 | Zero2 | Zero3):
        return "deepspeed"
    return "pipeline" if stage.spec.mesh.pp > 1 else "autograd"


def _split_axes(stage: StagePlan) -> tuple[str, ...]:
    """The axes of the mesh that split one copy of the model, in the order in which they do."""
    return tuple(axis for axis in ("pp", "ep", "tp", "cp") if getattr(stage.spec.mesh, axis) > 1)


def _origin(stage: str, field: str, origins: Origins, library: Library) -> str:
    if not field:
        return ""
    origin = origins[f"{stage}.{field}"]
    if origin.span is None or not origin.written:
        return f"default {field}"
    return f"{library.label(origin.span.source)}:{origin.span.line} {field}"
