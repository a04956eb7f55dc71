"""Stages: one training run each."""

from __future__ import annotations

from ..effect import Effect
from ..schema import Choice, Extent, Record, RecordOf, setting
from .data import DataSpec
from .model import ModelSpec
from .optimizers import Optimizer
from .scalars import BOOL, COUNT, DEGREE, EXTENT, PERCENT, POSITIVE, POSITIVE_COUNT, POSITIVE_DURATION, SEED, STEPS, STRING
from .training import (
    Adapter,
    Causal,
    Cosine,
    Fsdp2,
    MeshSpec,
    Objective,
    PrecisionSpec,
    Schedule,
    Strategy,
)


class BatchSpec(Record, part="batch", effect=Effect.RESUME_SAFE):
    """Samples a step: global = micro x accumulation x data-parallel ranks; of the three, `global` and one other suffice."""

    global_: int | None = setting(POSITIVE_COUNT, "samples a step, over all ranks", default=None, effect=Effect.RESTART)
    micro: int | None = setting(DEGREE, "samples a rank takes at once", default=None)
    accumulation: int | None = setting(POSITIVE_COUNT, "micro-batches a step", default=None)


class EvalSpec(Record, part="eval", effect=Effect.RESUME_SAFE):
    """Held-out loss during training."""

    every: int = setting(STEPS, "how often")
    batches: int = setting(POSITIVE_COUNT, "global batches an evaluation takes at most", default=16)
    patience: int | None = setting(POSITIVE_COUNT, "stop after so many evaluations in a row without progress", default=None)


class CheckpointSpec(Record, part="checkpoint", effect=Effect.RESUME_SAFE):
    """Resumable checkpoints; one is always written at the end."""

    every: int = setting(STEPS, "how often", default=500)
    keep: int = setting(POSITIVE_COUNT, "how many of the newest stay", default=2)
    keep_best: bool = setting(BOOL, "keep the one of the lowest held-out loss beside them, and export it", default=False)
    async_: bool = setting(BOOL, "written while training goes on", default=False, later=True)
    save_optimizer: bool = setting(BOOL, "with the optimizer's states", default=True, later=True)
    export: str = setting(Choice(("safetensors",)), "format of the exported model", default="safetensors", later=True)


class ProfileSpec(Record, part="profile", effect=Effect.NONE):
    """Steps that torch's profiler traces, a file a rank; the first steps of a run are the slow ones, and no fair sample."""

    step: int = setting(POSITIVE_COUNT, "the first step traced")
    count: int = setting(POSITIVE_COUNT, "so many steps in a row", default=1)


class LoggingSpec(Record, part="logging", effect=Effect.NONE):
    """What is written down on the way."""

    every: int = setting(STEPS, "a row of metrics each so many steps", default=1)
    tensorboard: bool = setting(BOOL, "also write TensorBoard files", default=True)
    wandb: str | None = setting(STRING, "also write to this project of Weights & Biases", default=None, later=True)
    profile: ProfileSpec | None = setting(RecordOf(ProfileSpec), "trace some steps with torch's profiler", default=None)


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
    duration: Extent = setting(EXTENT, "how long to train")
    clip: float | None = setting(POSITIVE, "largest norm of the whole gradient", default=1.0, optional=True)
    recompute: str = setting(
        Choice(("none", "full", "selective", "auto")),
        "activations computed again in the backward pass",
        default="none",
        later=("auto",),
    )
    recompute_every: int = setting(POSITIVE_COUNT, "recompute one layer of so many; the others keep their activations", default=1)
    eval: EvalSpec | None = setting(RecordOf(EvalSpec), "held-out loss during training", default=None)
    checkpoint: CheckpointSpec = setting(RecordOf(CheckpointSpec), "resumable checkpoints", default=CheckpointSpec())
    logging: LoggingSpec = setting(RecordOf(LoggingSpec), "metrics", default=LoggingSpec(), effect=Effect.NONE)
    compile: bool = setting(BOOL, "torch.compile each layer", default=False)
    compile_mode: str = setting(
        Choice(("default", "reduce_overhead", "max_autotune")),
        "what compiling is to save: `reduce_overhead` uses CUDA graphs, `max_autotune` tries kernels and compiles longer",
        default="default",
    )
    seed: int = setting(SEED, "seed of weights and dropout", default=0, effect=Effect.RESTART)
    deterministic: bool = setting(BOOL, "only kernels that give the same bits each time", default=False)
    ema: float | None = setting(PERCENT, "decay of a running mean of the weights", default=None, later=True, effect=Effect.RESTART)
    nonfinite: str = setting(
        Choice(("stop", "skip")), "at a loss or gradient norm that is no number: end the run, or leave the step out", default="stop"
    )
    timeout: float = setting(
        POSITIVE_DURATION, "how long a rank waits for the others before the run ends", default=3600, effect=Effect.NONE
    )
    spike_guard: bool = setting(BOOL, "skip batches whose loss leaps", default=False, later=True)
    resume: str = setting(Choice(("auto", "never")), "whether a run goes on from its last checkpoint", default="auto", later=True)
    retries: int = setting(COUNT, "restarts after a failure", default=0, later=True, effect=Effect.NONE)
