"""Plans a checked pipeline: the order of its stages, and for each its batch, length, parameters and memory."""

from __future__ import annotations

from ..adapters import layer_parameters
from ..families import family
from ..graph import execution_order, needs
from ..plan import LengthPlan, ParameterPlan, Plan, StagePlan
from ..spec import PipelineSpec, StageSpec
from .batch import BatchPlan, plan_batch
from .length import decay_of, steps_of
from .memory import plan_memory
from .split import plan_split


def make_plan(pipeline: PipelineSpec) -> Plan:
    """The plan of a pipeline to which no rule objects."""
    return Plan(pipeline.name, tuple(_plan_stage(stage) for stage in execution_order(pipeline)))


def _plan_stage(stage: StageSpec) -> StagePlan:
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    assert batch is not None, "TRN301 and TRN302 let no other batch pass"
    shape = stage.model.architecture
    adapter = shape.layers * layer_parameters(stage.adapter, shape) if stage.adapter else None
    parameters = ParameterPlan(family(shape.family).parameters(shape), adapter)
    memory = plan_memory(stage, batch)
    return StagePlan(stage, batch, _length(stage, batch), parameters, memory, needs(stage), plan_split(stage))


def _length(stage: StageSpec, batch: BatchPlan) -> LengthPlan:
    samples, tokens = batch.global_size, batch.global_size * stage.data.sequence
    total = steps_of(stage.duration, samples, tokens)
    warmup, decay = (steps_of(extent, samples, tokens, total) for extent in (stage.schedule.warmup, decay_of(stage.schedule)))
    return LengthPlan(total, warmup, decay, tokens)
