"""Every optimizer steps as one process does, however the model is spread, and goes on exactly from a checkpoint."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import warm
from trainc.compiler import adapters
from trainc.compiler.optimizers import states
from trainc.compiler.planner.batch import BatchPlan
from trainc.compiler.planner.share import shares
from trainc.compiler.schema import Extent
from trainc.compiler.spec import (
    Adapter,
    ArchitectureSpec,
    BatchSpec,
    ClusterSpec,
    DataSpec,
    GpuSpec,
    MeshSpec,
    ModelSpec,
    Optimizer,
    PythonStdlib,
    Random,
    StageSpec,
)
from trainc.compiler.spec.training import RanksSpec
from trainc.compiler.units import Dimension

from .conftest import PLAN, SOURCES, TIMEOUT_SECONDS, changed, spread

pytest.importorskip("torchao", reason="torchao is not installed")
pytest.importorskip("peft", reason="peft is not installed")

pytestmark = pytest.mark.slow

ARCHITECTURE = ArchitectureSpec(
    family="llama",
    layers=2,
    hidden=64,
    ffn=128,
    heads=4,
    kv_heads=2,
    head_dim=16,
    vocab=512,
    max_sequence=64,
    tied_embeddings=True,
)
MODEL = ModelSpec(name="small", source=Random(), architecture=ARCHITECTURE)
# What has a rank of 1 is a vector to optimizers, as all of IA3 is.
ADAPTERS: dict[str, Adapter] = {
    "lora": Adapter.variants["lora"](targets=["q", "down"], rank=4, alpha=8.0),
    "rank 1": Adapter.variants["lora"](targets=["q", "down"], rank=4, alpha=8.0, ranks=RanksSpec(q=1)),
    "ia3": Adapter.variants["ia3"](targets=["q", "down"]),
}

ADAM = {"betas": [0.9, 0.95], "eps": 1e-8}
OPTIMIZERS: dict[str, dict[str, Any]] = {
    "adamw": {"lr": 3e-3, **ADAM},
    "adamw8bit": {"lr": 3e-3, **ADAM},
    "adafactor": {"lr": 3e-2, "decay_rate": 0.8, "clip_threshold": 1.0, "least_scale": 1e-3},
    "lion": {"lr": 1e-3, "betas": [0.9, 0.99]},
    "muon": {
        "lr": 1e-2,
        "momentum": 0.95,
        "nesterov": True,
        "ns_steps": 5,
        "adjust_lr": "match_rms_adamw",
        "adamw_lr": 3e-3,
        **ADAM,
    },
    "sgd": {"lr": 0.3, "momentum": 0.9, "nesterov": True},
}
LAYOUTS: dict[int, dict[str, dict[str, Any]]] = {
    1: {"one": spread(1, micro=8)},
    2: {
        "ddp": spread(2, micro=4),
        "fsdp2": spread(2, "fsdp2", micro=4),
        "tp": spread(1, "fsdp2", micro=8, tp=2),
        "pp": {**spread(1, "fsdp2", micro=4, pp=2), "mesh.split": [1, 1]},
    },
    4: {"fsdp2 x tp": spread(2, "fsdp2", micro=4, tp=2)},
}
GROUPS = [{"part": "embedding", "lr": 2e-3, "weight_decay": None}, {"part": "attention", "lr": None, "weight_decay": 0.0}]
FIELDS = dict.fromkeys(PLAN["optimizer"], None) | {"weight_decay": 0.1, "groups": GROUPS}
ADAPTED = [f"{name} of {adapter}" for name in ("adafactor", "lion", "muon", "sgd") for adapter in ("lora", "ia3")]
# On two axes at once those whose step depends on how a tensor is cut.
CHOSEN = {1: OPTIMIZERS, 2: OPTIMIZERS, 4: ("adafactor", "adamw8bit", "muon")}
# Muon rounds to bf16 while it orthogonalises, and which moments torchao keeps in 8 bits depends on the number of ranks.
TOLERANCES = {"muon": 2e-4, "adamw8bit": 2e-3}
CASES = [(name, layout, ranks) for ranks, layouts in LAYOUTS.items() for layout in layouts for name in CHOSEN[ranks]]
CASES += [(name, layout, ranks) for layout, ranks in (("one", 1), ("fsdp2", 2)) for name in ADAPTED]
CASES += [("muon of rank 1", layout, ranks) for ranks in (1, 2) for layout in LAYOUTS[ranks]] + [("muon of ia3", "pp", 2)]
# FSDP2 cuts rows: what has only one, as IA3's factors of an input, is on one rank.
COUNTED = [case for case in CASES if case[1] != "fsdp2" or not case[0].endswith(("ia3", "rank 1"))]

Found = dict[str, dict[str, Any]]


def plan_of(name: str, where: dict[str, Any]) -> dict[str, Any]:
    optimizer, _, adapter = name.partition(" of ")
    beside = adapters.facts(ADAPTERS[adapter], MODEL) if adapter else None
    settings = {**FIELDS, "name": optimizer, **OPTIMIZERS[optimizer]}
    return changed(PLAN, {**where, "clip": 1.0, "adapter": beside, "optimizer": settings})


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What one launch for each number of ranks finds of all optimizers and layouts."""
    folders = [tmp_path_factory.mktemp(f"ranks{ranks}") for ranks in LAYOUTS]
    for folder, (ranks, layouts) in zip(folders, LAYOUTS.items(), strict=True):
        plans = {f"{name}, {layout}": plan_of(name, layouts[layout]) for name, layout, count in CASES if count == ranks}
        for title, plan in plans.items():
            (folder / title).write_text(json.dumps(plan))
        (folder / "plans.json").write_text(json.dumps(list(plans)))
    script = Path(__file__).with_name("optimizers_over_ranks.py")
    environment = os.environ | {"PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"}
    for folder, ranks in zip(folders, LAYOUTS, strict=True):
        done = warm.run(script, ranks, environment, TIMEOUT_SECONDS, [str(folder)])
        assert done.returncode == 0, done.stderr[-6000:]
    results = [json.loads((folder / "found.json").read_text()) for folder in folders]
    return {title: result for each in results for title, result in each.items()}


@pytest.mark.parametrize(("name", "layout", "ranks"), CASES, ids=lambda value: str(value))
def test_a_spread_run_equals_the_run_of_one_process(found: Found, name: str, layout: str, ranks: int) -> None:
    reference = found[f"{name}, one"]["losses"]
    optimizer, _, adapter = name.partition(" of ")
    assert found[f"{name}, {layout}"]["losses"] == pytest.approx(reference, abs=TOLERANCES.get(optimizer, 1e-5))
    # Of five steps, every second sees the same samples; what an adapter does to them in so few is little.
    assert reference[-1] < reference[0] - (0 if adapter else 0.02)


@pytest.mark.parametrize(("name", "layout", "ranks"), CASES, ids=lambda value: str(value))
def test_a_resumed_run_continues_bit_for_bit(found: Found, name: str, layout: str, ranks: int) -> None:
    result = found[f"{name}, {layout}"]
    assert result["resumed"] == result["losses"][3:]


@pytest.mark.parametrize(("name", "layout", "ranks"), COUNTED, ids=lambda value: str(value))
def test_planned_states_are_those_that_are_kept(found: Found, name: str, layout: str, ranks: int) -> None:
    plan = plan_of(name, LAYOUTS[ranks][layout])
    optimizer, _, adapter = name.partition(" of ")
    settings = Optimizer.variants[optimizer](**OPTIMIZERS[optimizer])
    stage = StageSpec(
        name="run",
        model=MODEL,
        adapter=ADAPTERS.get(adapter),
        data=DataSpec(name="data", train=PythonStdlib(), sequence=32),
        mesh=MeshSpec(
            name="mesh",
            cluster=ClusterSpec(name="here", gpu=GpuSpec(name="any", memory=1), gpus_per_node=ranks),
            **{axis: plan["mesh"][axis] for axis in ("dp_replicate", "dp_shard", "tp", "pp")},
        ),
        batch=BatchSpec(micro=1),
        optimizer=settings,
        duration=Extent(1, Dimension.STEPS),
    )
    batch = BatchPlan(**plan["batch"])
    planned = states(settings, next(shares(stage, batch)), 4, plan["mesh"]["dp_shard"])
    assert planned.bytes == found[f"{name}, {layout}"]["bytes"], planned.words


def test_groups_have_their_own_rates(found: Found) -> None:
    assert found["adamw, one"]["rates"] == [2e-3, 3e-3]
    assert found["muon, one"]["rates"] == [2e-3, 3e-3, 1e-2]


def test_a_bundle_resumes_moments_in_8_bits_exactly(workshop: Any) -> None:
    """Through train.py and the checkpoints of a run, whose settings are numbers."""
    at_once = {"preamble": "import torch\ntorch.compile = lambda function, **_: function\n"}
    where = {**workshop.spread(2, "fsdp2", micro=4), "optimizer": plan_of("adamw8bit", {})["optimizer"]}
    length = {"schedule__total_steps": 4, "checkpoint__every_steps": 2, "evaluation": None}
    straight = workshop.stage("eight", where, script=at_once, **length).finish()
    resumed = straight.copy(workshop.root / "eight-resumed")
    shutil.rmtree(resumed.folder / "checkpoints" / "step-00000004")
    resumed.finish()
    assert resumed.events("resumed")[0]["step"] == 2
    assert straight.metrics()[1]["lr"] == 3e-3, "the optimizer's own, whatever its groups have"
    assert resumed.losses() == straight.losses()
    assert [row["lr"] for row in resumed.metrics()] == [row["lr"] for row in straight.metrics()]
