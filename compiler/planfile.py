"""Writes plan.json, the file in which the compiler hands its decisions to the runtime; `runtime/planfile.py` reads it.

Sorted keys, plain values, and no path of the machine that compiles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trainc.dsl.version import VERSION

from . import adapters, quantization
from .chat_templates import FILE as CHAT_TEMPLATE
from .families import family
from .plan import StagePlan
from .planner.length import decay_of
from .schema import Extent
from .spec import (
    Bpe,
    DataSource,
    DataSpec,
    EvalSpec,
    Hub,
    Local,
    ModelSource,
    ModelSpec,
    Optimizer,
    PrecisionSpec,
    Pretrained,
    StageOutput,
    Strategy,
    Table,
    TextFiles,
    Tokenizer,
)

SCHEMA = 1

MESH = ("dp_replicate", "dp_shard", "cp", "cp_method", "tp", "pp", "ep", "sequence_parallel", "schedule", "virtual_stages")

Plain = dict[str, Any]


def plan_json(pipeline: str, plan: StagePlan) -> bytes:
    """The bytes of a stage's plan.json."""
    return (json.dumps(plan_facts(pipeline, plan), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def plan_facts(pipeline: str, plan: StagePlan) -> Plain:
    """A stage's plan as plain values, as plan.json holds them."""
    spec, cluster, profile = plan.spec, plan.spec.mesh.cluster, plan.spec.logging.profile
    return {
        "schema": SCHEMA,
        "compiler": VERSION,
        "pipeline": pipeline,
        "stage": spec.name,
        "seed": spec.seed,
        "deterministic": spec.deterministic,
        "device": {"any": "any", "cpu": "cpu"}.get(cluster.gpu.vendor, "cuda"),
        "nodes": cluster.nodes,
        "gpus_per_node": cluster.gpus_per_node,
        "mesh": {**{name: getattr(spec.mesh, name) for name in MESH}, "split": list(plan.split)},
        "model": _model(spec.model, plan),
        "adapter": adapters.facts(spec.adapter, spec.model) if spec.adapter else None,
        "data": _data(spec.data, spec.model.tokenizer, spec.model),
        "batch": {
            "global_size": plan.batch.global_size,
            "micro": plan.batch.micro,
            "accumulation": plan.batch.accumulation,
            "data_parallel": plan.batch.data_parallel,
        },
        "precision": _precision(spec.precision),
        "strategy": _strategy(spec.strategy),
        "optimizer": _optimizer(spec.optimizer),
        "schedule": _schedule(plan),
        "objective": {"name": spec.objective.variant},
        "clip": spec.clip,
        "recompute": spec.recompute,
        "recompute_every": spec.recompute_every,
        "compile": spec.compile_mode if spec.compile else None,
        "evaluation": _evaluation(spec.eval) if spec.eval else None,
        "checkpoint": {
            "every_steps": spec.checkpoint.every,
            "keep": spec.checkpoint.keep,
            "keep_best": spec.checkpoint.keep_best,
        },
        "logging": {
            "every_steps": spec.logging.every,
            "tensorboard": spec.logging.tensorboard,
            "profile": {"step": profile.step, "count": profile.count} if profile else None,
        },
        "nonfinite": spec.nonfinite,
        "timeout_seconds": spec.timeout,
        "memory": {"terms": dict(plan.memory.terms), "peak_bytes": plan.memory.peak_bytes},
    }


def _precision(precision: PrecisionSpec) -> Plain:
    shared = {name: getattr(precision, name) for name in ("compute", "params", "reduce", "loss_scaling")}
    return {**shared, "fp8_recipe": (precision.fp8_recipe or "tensorwise") if precision.compute == "fp8" else None}


def _strategy(strategy: Strategy) -> Plain:
    """Every strategy's fields; those of the others are null."""
    names = (
        "bucket",
        "static_graph",
        "reshard_after_forward",
        "reshard_group",
        "prefetch",
        "offload",
        "sync_each_batch",
        "offload_optimizer",
    )
    return {"name": strategy.variant, **{name: strategy.__dict__.get(name) for name in names}}


def _schedule(plan: StagePlan) -> Plain:
    """Lengths in steps; those that only the data tells are null there and stand in `epochs` as they were declared."""
    spec, length = plan.spec, plan.length
    steps = {"total": length.total_steps, "warmup": length.warmup_steps, "decay": length.decay_steps}
    declared = {"total": spec.duration, "warmup": spec.schedule.warmup, "decay": decay_of(spec.schedule)}
    return {
        "name": spec.schedule.variant,
        **{f"{name}_steps": count for name, count in steps.items()},
        "floor": spec.schedule.__dict__.get("floor", 1.0),
        "epochs": {name: _extent(declared[name], count) for name, count in steps.items()} if None in steps.values() else None,
    }


def _evaluation(evaluation: EvalSpec) -> Plain:
    return {"every_steps": evaluation.every, "batches": evaluation.batches, "patience": evaluation.patience}


def _extent(extent: Extent, steps: int | None) -> Plain | None:
    return {"value": extent.value, "unit": extent.unit.value} if steps is None else None


def _model(model: ModelSpec, plan: StagePlan) -> Plain:
    source = model.source
    return {
        "source": {"stage_output": "stage"}.get(source.variant, source.variant),
        "path": _place(source),
        "revision": source.revision if isinstance(source, Hub) else None,
        "model_type": model.architecture.family,
        "config": family(model.architecture.family).config(model.architecture),
        "attention": model.attention,
        "parameters": plan.parameters.total,
        "quantization": quantization.facts(model),
    }


def _data(data: DataSpec, tokenizer: Tokenizer | None, model: ModelSpec) -> Plain:
    return {
        "train": _source(data.train),
        "evaluation": _source(data.eval) if data.eval else None,
        "holdout": data.holdout,
        "tokenizer": _tokenizer(tokenizer, model),
        "sequence": data.sequence,
        "shuffle": data.shuffle,
        "seed": data.seed,
        "workers": data.workers,
        "packing": data.packing,
        "format": data.format,
        "columns": dict(data.columns.__dict__),
        "chat_template": CHAT_TEMPLATE if data.chat_template else None,
        "completions_only": data.learns_completions,
        "overlong": data.overlong,
        "broken": data.broken,
    }


def _source(source: DataSource) -> Mapping[str, Any]:
    match source:
        case TextFiles():
            return {"kind": "text", "path": source.path, "column": None}
        case Table():
            return {"kind": source.variant, "path": source.path, "column": source.column}
    return {"kind": source.variant, "path": None, "column": None}


def _tokenizer(tokenizer: Tokenizer | None, model: ModelSpec) -> Plain:
    vocab = model.architecture.vocab
    match tokenizer:
        case Bpe():
            return {"kind": "bpe", "vocab": vocab, "path": None}
        case Pretrained():
            return {"kind": "pretrained", "vocab": vocab, "path": tokenizer.path}
    # The one beside the weights.
    kind = "stage" if isinstance(model.source, StageOutput) else "pretrained"
    return {"kind": kind, "vocab": vocab, "path": _place(model.source)}


def _place(source: ModelSource) -> str | None:
    match source:
        case Local():
            return source.path
        case Hub():
            return source.repository
        case StageOutput():
            return source.stage
    return None


def _optimizer(optimizer: Optimizer) -> Plain:
    """Every optimizer's fields; those of the others are null."""
    names = (
        "lr",
        "weight_decay",
        "betas",
        "eps",
        "momentum",
        "nesterov",
        "ns_steps",
        "adjust_lr",
        "adamw_lr",
        "decay_rate",
        "clip_threshold",
        "least_scale",
    )
    set_apart = ((part, group) for part, group in optimizer.groups.__dict__.items() if group is not None)
    groups = [{"part": part, "lr": group.lr, "weight_decay": group.weight_decay} for part, group in set_apart]
    return {"name": optimizer.variant, "groups": groups, **{name: optimizer.__dict__.get(name) for name in names}}
