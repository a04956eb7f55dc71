"""Stages: one training run each."""

from __future__ import annotations

from ..effect import Effect
from ..schema import Choice, Extent, Record, RecordOf, setting
from .data import DataSpec
from .model import ModelSpec
from .scalars import BOOL, EXTENT, POSITIVE, POSITIVE_COUNT, SEED, STEPS
from .training import (
    Adapter,
    Causal,
    Cosine,
    Fsdp2,
    MeshSpec,
    Objective,
    Optimizer,
    PrecisionSpec,
    Schedule,
    Strategy,
)


class BatchSpec(Record, part="batch", effect=Effect.RESUME_SAFE):
    """Samples a step: global = micro x accumulation x data-parallel ranks; of the three, `global` and one other suffice."""

    global_: int | None = setting(POSITIVE_COUNT, "samples a step, over all ranks", default=None, effect=Effect.RESTART)
    micro: int | None = setting(POSITIVE_COUNT, "samples a rank takes at once", default=None)
    accumulation: int | None = setting(POSITIVE_COUNT, "micro-batches a step", default=None)


class EvalSpec(Record, part="eval", effect=Effect.RESUME_SAFE):
    """Held-out loss during training."""

    every: int = setting(STEPS, "how often")
    batches: int = setting(POSITIVE_COUNT, "global batches an evaluation takes at most", default=16)


class CheckpointSpec(Record, part="checkpoint", effect=Effect.RESUME_SAFE):
    """Resumable checkpoints; one is always written at the end."""

    every: int = setting(STEPS, "how often", default=500)
    keep: int = setting(POSITIVE_COUNT, "how many of the newest stay", default=2)


class LoggingSpec(Record, part="logging", effect=Effect.NONE):
    """What is written down on the way."""

    every: int = setting(STEPS, "a row of metrics each so many steps", default=1)
    tensorboard: bool = setting(BOOL, "also write TensorBoard files", default=True)


class StageSpec(Record, kind="stage", effect=Effect.RESUME_SAFE):
    """One run of training: a model, data, the way it is spread and how long."""

    name: str
    model: ModelSpec = setting(RecordOf(ModelSpec), "what is trained", effect=Effect.RESTART)
    data: DataSpec = setting(RecordOf(DataSpec), "on what", effect=Effect.RESTART)
    mesh: MeshSpec = setting(RecordOf(MeshSpec), "how ranks are laid out", effect=Effect.RESHARDS)
    precision: PrecisionSpec = setting(RecordOf(PrecisionSpec), "dtypes", default=PrecisionSpec(name="default"))
    strategy: Strategy = setting(RecordOf(Strategy), "how model states are spread", default=Fsdp2(), effect=Effect.RESHARDS)
    adapter: Adapter | None = setting(
        RecordOf(Adapter), "train few parameters beside a frozen model", default=None, effect=Effect.RESTART
    )
    objective: Objective = setting(RecordOf(Objective), "the loss", default=Causal(), effect=Effect.RESTART)
    batch: BatchSpec = setting(RecordOf(BatchSpec), "samples a step", effect=Effect.RESTART)
    optimizer: Optimizer = setting(RecordOf(Optimizer), "what turns gradients into steps", effect=Effect.RESTART)
    schedule: Schedule = setting(RecordOf(Schedule), "the learning rate over the run", default=Cosine())
    duration: Extent = setting(EXTENT, "how long to train", later=("epochs",))
    clip: float | None = setting(POSITIVE, "largest norm of the whole gradient", default=1.0)
    recompute: str = setting(
        Choice(("none", "full", "selective")),
        "activations computed again in the backward pass",
        default="none",
        later=("selective",),
    )
    eval: EvalSpec | None = setting(RecordOf(EvalSpec), "held-out loss during training", default=None)
    checkpoint: CheckpointSpec = setting(RecordOf(CheckpointSpec), "resumable checkpoints", default=CheckpointSpec())
    logging: LoggingSpec = setting(RecordOf(LoggingSpec), "metrics", default=LoggingSpec(), effect=Effect.NONE)
    compile: bool = setting(BOOL, "torch.compile each layer", default=False, later=True)
    seed: int = setting(SEED, "seed of weights and dropout", default=0, effect=Effect.RESTART)
    deterministic: bool = setting(BOOL, "only kernels that give the same bits each time", default=False)
