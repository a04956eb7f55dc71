"""Builds small stages as the compiler would, and launches them."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
import warm
from rhymes import write_corpus
from safetensors.torch import load_file
from trainc.compiler.planner.batch import BatchPlan
from trainc.compiler.spec import PrecisionSpec, Strategy
from trainc.compiler.zero_settings import Setting, zero_settings

SOURCES = Path(__file__).resolve().parents[2] / ".src"
TIMEOUT_SECONDS = 300

SCRIPT = """
import sys
from pathlib import Path

sys.path.insert(0, {sources!r})

from trainc.runtime import checkpoint, compilation, data, float8, length, model, optim, quantization, recompute, scaling, stage
from trainc.runtime import trainer
from trainc.runtime.axes import cp, ep, pp, tp
from trainc.runtime.engines import autograd, pipeline{deepspeed}
from trainc.runtime.objectives import causal, sft
from trainc.runtime.optimizers import {chosen}
from trainc.runtime.parallel import {strategy}

{preamble}
def main(run: stage.Run) -> None:
    plan = run.plan
    corpus = data.prepare(plan.data, run)
    {length}
    {after_data}
    network = model.build(plan.model, corpus, run)
    {quantization}
    {adapter}
    {float8}
    {axes}
    {recompute}
    {compile}
    network = {strategy}.apply(network, run, plan)
    model.load(network, plan.model, run)
    optimizer = {optimizer}
    schedule = optim.cosine(optimizer, plan.schedule)
    {before_fit}
    engine = {engine}(run, network, {loss}, optimizer, schedule{scale})
    {after_engine}
    trainer.fit(run, engine, corpus)
    checkpoint.export(network, corpus, run)


if __name__ == "__main__":
    stage.launch(main, Path(__file__).with_name("plan.json"))
"""

OPTIMIZER = "{}.build(network, plan.optimizer)"

PLAN: dict[str, Any] = {
    "schema": 1,
    "compiler": "0.1.0",
    "pipeline": "test",
    "stage": "pretrain",
    "seed": 7,
    "deterministic": False,
    "device": "cpu",
    "nodes": 1,
    "gpus_per_node": 1,
    "mesh": {
        "dp_replicate": 1,
        "dp_shard": 1,
        "cp": 1,
        "cp_method": "ulysses",
        "tp": 1,
        "pp": 1,
        "ep": 1,
        "sequence_parallel": False,
        "schedule": "one_f_one_b",
        "virtual_stages": 1,
        "split": [2],
    },
    "model": {
        "source": "random",
        "path": None,
        "revision": None,
        "model_type": "llama",
        "config": {
            "vocab_size": 512,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "max_position_embeddings": 64,
            "tie_word_embeddings": True,
        },
        "attention": "sdpa",
        "parameters": 106_816,
        "quantization": None,
    },
    "adapter": None,
    "data": {
        "train": {"kind": "text", "path": "corpus/*.txt", "column": None},
        "evaluation": None,
        "holdout": 0.1,
        "tokenizer": {"kind": "bpe", "vocab": 512, "path": None},
        "sequence": 32,
        "shuffle": True,
        "seed": 3,
        "workers": 0,
        "packing": False,
        "format": "text",
        "columns": {"prompt": "prompt", "completion": "completion", "messages": "messages"},
        "chat_template": None,
        "completions_only": False,
        "overlong": "stop",
        "broken": "stop",
    },
    "batch": {"global_size": 8, "micro": 2, "accumulation": 4, "data_parallel": 1},
    "precision": {"compute": "fp32", "params": "fp32", "reduce": "fp32", "loss_scaling": "none", "fp8_recipe": None},
    "strategy": {
        "name": "ddp",
        "bucket": 25 * 2**20,
        "static_graph": False,
        "reshard_after_forward": None,
        "reshard_group": None,
        "prefetch": None,
        "offload": None,
        "sync_each_batch": None,
        "offload_optimizer": None,
    },
    "optimizer": {
        "name": "adamw",
        "lr": 3e-3,
        "weight_decay": 0.1,
        "groups": [],
        "betas": [0.9, 0.95],
        "eps": 1e-8,
        "momentum": None,
        "nesterov": None,
        "ns_steps": None,
        "adjust_lr": None,
        "adamw_lr": None,
        "decay_rate": None,
        "clip_threshold": None,
        "least_scale": None,
    },
    "schedule": {"name": "cosine", "warmup_steps": 2, "decay_steps": 0, "total_steps": 10, "floor": 0.1, "epochs": None},
    "objective": {"name": "causal"},
    "clip": 0.5,
    "recompute": "none",
    "recompute_every": 1,
    "compile": None,
    "evaluation": {"every_steps": 5, "batches": 2, "patience": None},
    "checkpoint": {"every_steps": 5, "keep": 3, "keep_best": False},
    "logging": {"every_steps": 1, "tensorboard": False, "profile": None},
    "nonfinite": "stop",
    "timeout_seconds": 3600,
    "memory": {"terms": {"weights": 1}, "peak_bytes": 1},
}


def changed(plan: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of a plan with values at dotted paths replaced."""
    result = copy.deepcopy(plan)
    for path, value in changes.items():
        *parents, name = path.split(".")
        record = result
        for parent in parents:
            record = record[parent]
        record[name] = value
    return result


def spread(ranks: int, strategy: str = "ddp", replicate: int | None = None, micro: int = 1, **axes: Any) -> dict[str, Any]:
    """The changes that put a plan of 8 samples a step on so many data-parallel ranks, times the degrees of other axes."""
    replicate = replicate or (ranks if strategy == "ddp" else 1)
    world = ranks * math.prod(degree for axis, degree in axes.items() if axis in ("tp", "cp", "pp"))
    return {
        "gpus_per_node": world,
        "mesh.dp_replicate": replicate,
        "mesh.dp_shard": ranks // replicate,
        **{f"mesh.{axis}": degree for axis, degree in axes.items()},
        "batch.micro": micro,
        "batch.accumulation": 8 // ranks // micro,
        "batch.data_parallel": ranks,
        "strategy.name": strategy,
        "strategy.reshard_after_forward": True,
        "strategy.prefetch": 1,
        "strategy.offload": False,
        "strategy.sync_each_batch": False,
    }


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Stage:
    """A stage on disk, ready to launch."""

    bundle: Path
    folder: Path
    data_root: Path
    ranks: int
    script: dict[str, str] = field(default_factory=dict)
    zero: dict[str, Any] = field(default_factory=dict)

    def command(self) -> list[str]:
        script = str(self.bundle / "train.py")
        if self.ranks == 1:
            return [sys.executable, script]
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(self.ranks)]
        return [*torchrun, script]

    def environment(self, **extra: str) -> dict[str, str]:
        return {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "TRAINC_RUN_DIR": str(self.folder),
            "TRAINC_DATA_ROOT": str(self.data_root),
            "TRAINC_CACHE_DIR": str(self.data_root / "cache"),
            **extra,
        }

    def start(self, **extra: str) -> subprocess.Popen[str]:
        """Launches the stage as its bundle does."""
        return subprocess.Popen(self.command(), env=self.environment(**extra), stderr=subprocess.PIPE, text=True)

    def launch(self, **extra: str) -> subprocess.CompletedProcess[str]:
        """Launches the stage as its bundle does, to its end."""
        process = self.start(**extra)
        stderr = process.communicate(timeout=TIMEOUT_SECONDS)[1]
        return subprocess.CompletedProcess(process.args, process.returncode, "", stderr)

    def run(self, **extra: str) -> subprocess.CompletedProcess[str]:
        """Runs the stage's ranks without a launcher."""
        return warm.run(self.bundle / "train.py", self.ranks, self.environment(**extra), TIMEOUT_SECONDS)

    def finish(self, **extra: str) -> Stage:
        """Runs the stage, which must succeed."""
        done = self.run(**extra)
        assert done.returncode == 0, done.stderr[-3000:] + self.logs()[-3000:]
        return self

    def copy(self, root: Path) -> Stage:
        """The same stage with everything it wrote, at another place."""
        shutil.copytree(self.bundle, root / "bundle")
        shutil.copytree(self.folder, root / "run")
        return dataclasses.replace(self, bundle=root / "bundle", folder=root / "run")

    def alone(self) -> Stage:
        """The same stage, launched as one process whatever its plan says."""
        return dataclasses.replace(self, ranks=1)

    def respread(self, where: dict[str, Any], script: dict[str, str] | None = None) -> Stage:
        """The same stage compiled for other ranks."""
        plan = changed(json.loads((self.bundle / "plan.json").read_text()), where)
        write_bundle(self.bundle, plan, self.script, self.zero)
        return dataclasses.replace(self, ranks=plan["gpus_per_node"])

    def replan(self, **changes: Any) -> Stage:
        """Changes the plan in place, as a recompiled bundle would."""
        path = self.bundle / "plan.json"
        path.write_text(json.dumps(changed(json.loads(path.read_text()), dotted(changes))))
        return self

    def metrics(self) -> list[dict[str, Any]]:
        return rows(self.folder / "metrics.jsonl")

    def losses(self) -> list[float]:
        return [row["loss"] for row in self.metrics()]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [row for row in rows(self.folder / "events.jsonl") if row["event"] == name]

    def weights(self) -> dict[str, torch.Tensor]:
        """The exported model's tensors."""
        return load_file(self.folder / "export" / "model.safetensors")

    def logs(self) -> str:
        return "".join(path.read_text() for path in sorted((self.folder / "log").glob("rank-*.log")))


def dotted(changes: dict[str, Any]) -> dict[str, Any]:
    """`batch__micro` as a keyword stands for the path `batch.micro`."""
    return {name.replace("__", "."): value for name, value in changes.items()}


class Workshop:
    """Makes stages that share one corpus."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_corpus(root / "corpus")

    def stage(
        self,
        name: str,
        where: dict[str, Any] | None = None,
        script: dict[str, str] | None = None,
        zero: dict[str, Any] | None = None,
        **changes: Any,
    ) -> Stage:
        """`zero` are fields of the strategies zero1, zero2 and zero3."""
        plan = changed(PLAN, {**(where or spread(1, micro=2)), **dotted(changes)})
        bundle, folder = self.root / name / "bundle", self.root / name / "run"
        bundle.mkdir(parents=True)
        write_bundle(bundle, plan, script or {}, zero or {})
        return Stage(bundle, folder, self.root, plan["nodes"] * plan["gpus_per_node"], script or {}, zero or {})

    def spread(self, *arguments: Any, **named: Any) -> dict[str, Any]:
        return spread(*arguments, **named)


def write_bundle(bundle: Path, plan: dict[str, Any], script: dict[str, str], zero: dict[str, Any]) -> None:
    """A bundle's plan and its script, with pieces put in where a test needs them."""
    names = (
        "preamble",
        "after_data",
        "length",
        "before_fit",
        "after_engine",
        "quantization",
        "adapter",
        "float8",
        "recompute",
        "compile",
        "scale",
        "deepspeed",
    )
    chosen = plan["optimizer"]["name"]
    parts = dict.fromkeys(names, "") | {"chosen": chosen, "optimizer": OPTIMIZER.format(chosen)} | script
    split = [axis for axis in ("pp", "tp", "ep", "cp") if plan["mesh"][axis] > 1]
    parts["axes"] = "\n    ".join(f"{axis}.apply(network, run, plan)" for axis in split)
    engine, loss = {True: ("pipeline.Pipeline", "summed"), False: ("autograd.Autograd", "loss")}["pp" in split]
    parts |= {"engine": engine, "loss": f"{plan['objective']['name']}.{loss}"}
    if plan["strategy"]["name"].startswith("zero"):
        parts |= {"deepspeed": ", deepspeed", "engine": "deepspeed.start", "optimizer": "deepspeed.adamw(network, plan)"}
        strategy = Strategy.variants[plan["strategy"]["name"]](**zero)
        plan = changed(plan, {"strategy.offload_optimizer": strategy.offload_optimizer})
        precision = PrecisionSpec(name="used", **{name: value for name, value in plan["precision"].items() if value is not None})
        settings = zero_settings(
            strategy, Setting(BatchPlan(**plan["batch"]), precision, plan["clip"], largest=512 * 64, pinned=False)
        )
        (bundle / "ds_config.json").write_text(json.dumps(settings))
    (bundle / "plan.json").write_text(json.dumps(plan))
    if plan["model"]["quantization"]:
        parts["quantization"] = "quantization.apply(network, plan)"
    if plan["schedule"]["epochs"]:
        parts["length"] = "run, plan = length.measured(run, corpus)"
    if plan["adapter"]:
        parts["preamble"] += f"from trainc.runtime.adapters import {plan['adapter']['name']}\n"
        parts["adapter"] = f"{plan['adapter']['name']}.apply(network, plan.adapter)"
    if plan["precision"]["compute"] == "fp8":
        parts["float8"] = "float8.convert(network, run, plan)"
    if plan["precision"]["loss_scaling"] == "dynamic":
        parts["scale"] = ", scaling.dynamic()"
    if plan["compile"]:
        parts["compile"] = "compilation.compile_layers(network, run, plan)"
    if plan["recompute"] != "none":
        parts["recompute"] = f"recompute.{plan['recompute']}(network, plan.recompute_every)"
    text = SCRIPT.format(sources=str(SOURCES), strategy=plan["strategy"]["name"], **parts)
    (bundle / "train.py").write_text(text)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture
def plan() -> dict[str, Any]:
    return copy.deepcopy(PLAN)
