"""Figures: what a plan says of a stage. Nobody writes them; assertions read them."""

from __future__ import annotations

from ..schema import Record, RecordOf, setting
from . import scalars


class MemoryFigures(Record, part="peak_memory_breakdown"):
    """The terms of a stage's peak memory, in bytes a rank."""

    parameters: int = setting(scalars.MEMORY, "stored parameters")
    quantized_parameters: int = setting(scalars.MEMORY, "matrices in few bits", default=0)
    gradients: int = setting(scalars.MEMORY, "gradients")
    optimizer: int = setting(scalars.MEMORY, "optimizer states")
    gathered_parameters: int = setting(scalars.MEMORY, "parameters gathered or cast for a layer")
    activations: int = setting(scalars.MEMORY, "what the backward pass needs")
    logits: int = setting(scalars.MEMORY, "logits and their loss")


class PlanFigures(Record, part="plan"):
    """What a stage's plan offers to assertions, as `STAGE.plan`."""

    peak_memory: int = setting(scalars.MEMORY, "predicted bytes a rank at the peak")
    peak_memory_breakdown: MemoryFigures = setting(RecordOf(MemoryFigures), "its terms")
    total_steps: int | None = setting(scalars.STEPS, "optimizer steps; unknown of a run measured in epochs", default=None)
    trainable_parameters: int = setting(scalars.COUNT, "parameters that train")
    step_time: float | None = setting(scalars.DURATION, "predicted time of a step", default=None, later=True)
    tokens_per_second: float | None = setting(scalars.NUMBER, "predicted tokens a second, all ranks", default=None, later=True)
    mfu: float | None = setting(scalars.PERCENT, "share of the GPUs' peak operations", default=None, later=True)
    bubble: float | None = setting(scalars.PERCENT, "share of a step in which pipeline ranks wait", default=None, later=True)
    communication: int | None = setting(scalars.MEMORY, "bytes a rank sends in a step", default=None, later=True)
    total_time: float | None = setting(scalars.DURATION, "predicted time of the stage", default=None, later=True)
    gpu_hours: float | None = setting(scalars.NUMBER, "predicted GPU-hours of the stage", default=None, later=True)
