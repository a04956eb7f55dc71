"""Reads plan.json, the file in which the compiler hands its decisions to the runtime.

Needs the standard library only. Refuses unknown or missing fields, values of another type, and schemas newer than its own.
Paths in a plan are relative to the data root of the launch (`TRAINC_DATA_ROOT`), never to the machine that compiled.
"""

from __future__ import annotations

import json
import types
import typing
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

SCHEMA = 1


class PlanFileError(Exception):
    """A plan that this runtime cannot read; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class RunMesh:
    """Sizes of the mesh axes; their product without ep is the world size.

    The ranks of cp share sequences by `cp_method`: `ulysses` or `ring`. With `sequence_parallel` the ranks of tp split what stands
    between the matrices along the sequence.
    `schedule` orders the steps of a pipeline (`gpipe`, `one_f_one_b`, ...), each rank with `virtual_stages` groups of layers;
    `split` says how many layers each of all these groups has, in the order of the layers.
    """

    dp_replicate: int
    dp_shard: int
    cp: int
    cp_method: str
    tp: int
    pp: int
    ep: int
    sequence_parallel: bool
    schedule: str
    virtual_stages: int
    split: list[int]


@dataclass(frozen=True, slots=True)
class RunQuantization:
    """How frozen matrices of the layers are stored: `nf4`, with `double` its scales are quantised too, or `int8` (null there).

    `parameters` are those in few bits.
    """

    name: str
    double: bool | None
    parameters: int


@dataclass(frozen=True, slots=True)
class RunModel:
    """The model: `config` holds the keyword arguments of transformers' configuration class of `model_type`.

    `source` is `random` (fresh weights), `local` (`path`: a folder that transformers loads),
    `hf` (`path`: a repository, at `revision`) or `stage` (`path`: the stage whose export is loaded).
    """

    source: str
    path: str | None
    revision: str | None
    model_type: str
    config: dict[str, Any]
    attention: str
    parameters: int
    quantization: RunQuantization | None


@dataclass(frozen=True, slots=True)
class RunAdapter:
    """What trains beside a frozen model: `lora`, `dora` or `ia3`.

    `targets` maps short names to those of modules, from a layer down; `parameters` is what trains in the whole model. An update
    is scaled by `alpha` / `rank`, or with `rank_stabilized` by `alpha` / sqrt(`rank`), where `ranks` may give a target a rank of
    its own; `init` is PEFT's `kaiming` or `gaussian`. The last five are null for ia3.
    """

    name: str
    targets: dict[str, str]
    parameters: int
    rank: int | None
    ranks: dict[str, int] | None
    alpha: float | None
    rank_stabilized: bool | None
    init: str | None


@dataclass(frozen=True, slots=True)
class RunTokenizer:
    """`bpe`: a byte-level BPE of `vocab` entries, trained on the training documents; `pretrained`: loaded from `path`;
    `stage`: the one beside the export of the stage `path`.
    """

    kind: str
    vocab: int
    path: str | None


@dataclass(frozen=True, slots=True)
class RunSource:
    """Where documents come from.

    `python_stdlib`: every `.py` file of the running interpreter's standard library;
    `text`: one document a file, for the files that the glob `path` matches; `jsonl` and `parquet`: one document a row; of documents
    of text `column` holds it.
    """

    kind: str
    path: str | None
    column: str | None


@dataclass(frozen=True, slots=True)
class RunData:
    """Documents and how they become samples of `sequence` tokens.

    Those of the `format` `text` are joined with an end-of-text token and cut; with `packing` they do not see each other. Those of
    `completion` (a prompt and what follows it) and `chat` (messages, written out by the Jinja template `chat_template`, or the
    tokenizer's own where it is null) are never cut: each is a sample, or with `packing` as many as fit are one. `columns` names
    the columns that a format reads; with `completions_only` nothing else than completions and answers are targets. Documents that
    are too long end the run (`overlong` is `stop`), are left out (`skip`) or cut short (`truncate`); rows of no use end the run
    or are left out (`broken`).
    Held-out documents come from `evaluation`, or are the share `holdout` (0 to 1) of the training source's documents.
    """

    train: RunSource
    evaluation: RunSource | None
    holdout: float
    tokenizer: RunTokenizer
    sequence: int
    shuffle: bool
    seed: int
    workers: int
    packing: bool
    format: str
    columns: dict[str, str]
    chat_template: str | None
    completions_only: bool
    overlong: str
    broken: str


@dataclass(frozen=True, slots=True)
class RunBatch:
    """Samples a step: `global_size` = `micro` x `accumulation` x `data_parallel`."""

    global_size: int
    micro: int
    accumulation: int
    data_parallel: int


@dataclass(frozen=True, slots=True)
class RunPrecision:
    """Dtypes by short name: `fp32`, `bf16`, and to compute with `fp16` and `fp8` too.

    With `loss_scaling` `dynamic` gradients carry a factor through the backward pass. `fp8_recipe` says what shares a scale
    (`tensorwise`, `rowwise`); null unless `compute` is fp8.
    """

    compute: str
    params: str
    reduce: str
    loss_scaling: str
    fp8_recipe: str | None


@dataclass(frozen=True, slots=True)
class RunStrategy:
    """`ddp`: gradients travel in buckets of `bucket` bytes.

    `fsdp2`: after the forward pass layers are kept whole, kept over `reshard_group` ranks, or freed; `prefetch` layers are gathered
    ahead; with `offload` shards live in host memory, with `sync_each_batch` gradients are reduced after each micro-batch. `zero1`,
    `zero2`, `zero3`: ds_config.json beside the plan says how; the optimizer's states live on the device (`offload_optimizer` is
    `none`), in host memory (`cpu`) or on disk (`nvme`).
    Fields of other strategies are null.
    """

    name: str
    bucket: int | None
    static_graph: bool | None
    reshard_after_forward: bool | None
    reshard_group: int | None
    prefetch: int | None
    offload: bool | None
    sync_each_batch: bool | None
    offload_optimizer: str | None


@dataclass(frozen=True, slots=True)
class RunGroup:
    """A part of the model with a rate or a decay of its own, null where it has the others'.

    `part` is `embedding`, `positions`, `attention`, `feed_forward`, `router`, `experts`, `norms` or `head`.
    """

    part: str
    lr: float | None
    weight_decay: float | None


@dataclass(frozen=True, slots=True)
class RunOptimizer:
    """`adamw`, `adamw8bit`, `adafactor`, `lion`, `muon` or `sgd`; fields of others are null.

    Weight decay applies to matrices only, never to norms and biases. `momentum` and `nesterov` are sgd's and muon's. muon adjusts
    its rate to each matrix by `adjust_lr` (torch's names), takes `ns_steps` of Newton-Schulz, and steps what is no matrix of a
    layer with `adamw_lr` (null: `lr`). adafactor's second moments decay by 1 - step^-`decay_rate`; its updates are at most
    `clip_threshold` large, and relative to tensors that are taken to be at least `least_scale`.
    """

    name: str
    lr: float
    weight_decay: float
    groups: list[RunGroup]
    betas: list[float] | None
    eps: float | None
    momentum: float | None
    nesterov: bool | None
    ns_steps: int | None
    adjust_lr: str | None
    adamw_lr: float | None
    decay_rate: float | None
    clip_threshold: float | None
    least_scale: float | None


@dataclass(frozen=True, slots=True)
class RunExtent:
    """A length in `epochs` (passes over the training samples), or in `percent` of a run that is measured in them."""

    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class RunEpochs:
    """Lengths that only the corpus turns into steps, as they were declared; null for those that the plan knows."""

    total: RunExtent | None
    warmup: RunExtent | None
    decay: RunExtent | None


@dataclass(frozen=True, slots=True)
class RunSchedule:
    """`cosine`, `linear`, `constant` or `wsd`: linear warmup, then the decay down to `floor` x lr at `total_steps`.

    `decay_steps` is the length of wsd's final decay; the others decay over everything after the warmup. Steps are null where they
    stand in `epochs`, which `length.measured` puts into steps before anything reads them.
    """

    name: str
    warmup_steps: int | None
    decay_steps: int | None
    total_steps: int | None
    floor: float
    epochs: RunEpochs | None


@dataclass(frozen=True, slots=True)
class RunObjective:
    """The loss: `causal` is next-token cross-entropy, averaged over all target tokens of the global batch; `sft` is the same,
    where only completions are targets.
    """

    name: str


@dataclass(frozen=True, slots=True)
class RunEvaluation:
    """Held-out loss every so many steps, over at most `batches` global batches, and at the last step.

    After `patience` evaluations in a row without a lower loss than the lowest before, the run ends; null for never.
    """

    every_steps: int
    batches: int
    patience: int | None


@dataclass(frozen=True, slots=True)
class RunCheckpoint:
    """A resumable checkpoint every so many steps and at the last one; the newest `keep` stay.

    With `keep_best` so does the one of the lowest held-out loss, and it is what the export holds; every evaluation has one.
    """

    every_steps: int
    keep: int
    keep_best: bool


@dataclass(frozen=True, slots=True)
class RunProfile:
    """torch's profiler traces `count` steps from `step` on."""

    step: int
    count: int


@dataclass(frozen=True, slots=True)
class RunLogging:
    """A row of metrics every so many steps."""

    every_steps: int
    tensorboard: bool
    profile: RunProfile | None


@dataclass(frozen=True, slots=True)
class RunMemory:
    """Predicted bytes a rank at the peak, term by term; they sum to `peak_bytes`."""

    terms: dict[str, int]
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Everything one stage needs to run. `device` is `cuda`, `cpu`, or `any` (a GPU a rank where there are enough).

    Of every `recompute_every` layers the last is computed again. `compile` is a mode of torch.compile (`default`,
    `reduce_overhead`, `max_autotune`), null for layers that are not compiled.
    `nonfinite` says what a loss or gradient norm that is no number does: `stop` ends the run, `skip` leaves the step out.
    A rank waits at most `timeout_seconds` for the others.
    """

    schema: int
    compiler: str
    pipeline: str
    stage: str
    seed: int
    deterministic: bool
    device: str
    nodes: int
    gpus_per_node: int
    mesh: RunMesh
    model: RunModel
    adapter: RunAdapter | None
    data: RunData
    batch: RunBatch
    precision: RunPrecision
    strategy: RunStrategy
    optimizer: RunOptimizer
    schedule: RunSchedule
    objective: RunObjective
    clip: float | None
    recompute: str
    recompute_every: int
    compile: str | None
    evaluation: RunEvaluation | None
    checkpoint: RunCheckpoint
    logging: RunLogging
    nonfinite: str
    timeout_seconds: float
    memory: RunMemory

    @property
    def world_size(self) -> int:
        """How many ranks the stage runs on."""
        return self.nodes * self.gpus_per_node


def read(path: Path) -> RunPlan:
    """The plan in a file; raises PlanFileError with a plain sentence otherwise."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise PlanFileError(f"cannot read the plan {path}: {fault}") from fault
    schema = content.get("schema") if isinstance(content, dict) else None
    if type(schema) is not int:
        raise PlanFileError(f"{path} is not a plan: it has no schema number")
    if schema > SCHEMA:
        raise PlanFileError(f"{path} has schema {schema}, this runtime reads up to {SCHEMA}: use the runtime of its own bundle")
    plan: RunPlan = _convert(content, RunPlan, str(path))
    return plan


def _convert(value: Any, wanted: Any, place: str) -> Any:
    if typing.get_origin(wanted) in (types.UnionType, typing.Union):
        if value is None and type(None) in typing.get_args(wanted):
            return None
        (wanted,) = (option for option in typing.get_args(wanted) if option is not type(None))
    if is_dataclass(wanted):
        return _convert_record(value, wanted, place)
    if typing.get_origin(wanted) is list and isinstance(value, list):
        (item,) = typing.get_args(wanted)
        return [_convert(entry, item, f"{place}[{index}]") for index, entry in enumerate(value)]
    if typing.get_origin(wanted) is dict and isinstance(value, dict):
        _, item = typing.get_args(wanted)
        return {key: value[key] if item is Any else _convert(value[key], item, f"{place}.{key}") for key in value}
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is wanted:
        return value
    raise PlanFileError(f"{place} holds {value!r}, not {getattr(wanted, '__name__', wanted)}")


def _convert_record(value: Any, wanted: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise PlanFileError(f"{place} holds {value!r}, not a record")
    hints = typing.get_type_hints(wanted)
    names = [entry.name for entry in fields(wanted)]
    for name in value:
        if name not in names:
            raise PlanFileError(f"{place} has a field `{name}` that this runtime does not know")
    for name in names:
        if name not in value:
            raise PlanFileError(f"{place} lacks the field `{name}`")
    return wanted(**{name: _convert(value[name], hints[name], f"{place}.{name}") for name in names})
