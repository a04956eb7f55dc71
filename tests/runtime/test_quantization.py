"""An adapter beside quantised matrices trains as beside the matrices that they stand for, however it is spread."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.distributed.checkpoint import FileSystemReader
from trainc.runtime.planfile import RunQuantization
from trainc.runtime.quantization.replace import _matrices
from trainc.runtime.quantization.storage import storage
from transformers import AutoConfig, AutoModelForCausalLM, BitsAndBytesConfig

pytest.importorskip("peft", reason="peft is not installed")
pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")

pytestmark = pytest.mark.slow

LENGTH = {
    "schedule__total_steps": 6,
    "checkpoint__every_steps": 3,
    "evaluation": {"every_steps": 3, "batches": 2, "patience": None},
}
TARGETS = {"q": "self_attn.q_proj", "v": "self_attn.v_proj", "down": "mlp.down_proj"}
LORA = {
    "name": "lora",
    "targets": TARGETS,
    "parameters": 2 * 4 * (128 + 96 + 192),
    "rank": 4,
    "ranks": None,
    "alpha": 8.0,
    "rank_stabilized": False,
    "init": "gaussian",
}
DORA = LORA | {"name": "dora", "parameters": LORA["parameters"] + 2 * (64 + 32 + 64)}
IA3 = {"name": "ia3", "targets": TARGETS, "parameters": 2 * (64 + 32 + 128)}
IA3 |= dict.fromkeys(("rank", "ranks", "alpha", "rank_stabilized", "init"))

ADAPTERS = {adapter["name"]: adapter for adapter in (LORA, DORA, IA3)}

CONFIG = {
    "vocab_size": 512,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 64,
    "tie_word_embeddings": True,
}
# Two layers of q and o 64 x 64, k and v 32 x 64, and three matrices 128 x 64.
PARAMETERS = 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 128 * 64)
KINDS = {
    "nf4": {"name": "nf4", "double": True, "parameters": PARAMETERS},
    "single": {"name": "nf4", "double": False, "parameters": PARAMETERS},
    "int8": {"name": "int8", "double": None, "parameters": PARAMETERS},
}


def make_model() -> Any:
    torch.manual_seed(11)
    config = AutoConfig.for_model("llama", **CONFIG)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32)


def dequantised(model: Any, kind: str) -> Any:
    kept = storage(RunQuantization(**KINDS[kind]))
    for _, matrix in _matrices(model):
        matrix.weight.data = kept.unpack(kept.pack(matrix.weight.data), matrix.weight.shape, torch.float32)
    return model


@pytest.fixture(scope="module")
def bases(workshop: Any) -> dict[str, dict[str, Any]]:
    """The changes that make a plan start from whole weights, and from what they become in each storage."""
    make_model().save_pretrained(workshop.root / "weights")
    for kind in KINDS:
        dequantised(make_model(), kind).save_pretrained(workshop.root / f"weights-{kind}")
    folders = {"whole": "weights"} | {kind: f"weights-{kind}" for kind in KINDS}
    return {name: {"model__source": "local", "model__path": folder} for name, folder in folders.items()}


def train(workshop: Any, name: str, where: dict[str, Any], adapter: str = "lora", **changes: Any) -> Any:
    return workshop.stage(name, where, adapter=ADAPTERS[adapter], **{**LENGTH, **changes}).finish()


Stages = Callable[[str, str], Any]


@pytest.fixture(scope="module")
def references(workshop: Any, bases: Any) -> Stages:
    """One process beside the dequantised matrices, by storage and adapter."""
    return cache(
        lambda kind, adapter: train(workshop, f"plain-{kind}-{adapter}", workshop.spread(1, micro=2), adapter, **bases[kind])
    )


@pytest.fixture(scope="module")
def alone(workshop: Any, bases: Any) -> Stages:
    """One process beside quantised matrices."""
    return cache(
        lambda kind, adapter: train(
            workshop, f"one-{kind}", workshop.spread(1, micro=2), adapter, **bases["whole"], model__quantization=KINDS[kind]
        )
    )


@pytest.mark.parametrize("kind", KINDS)
def test_one_process_trains_as_beside_the_dequantised_matrices(alone: Stages, references: Stages, kind: str) -> None:
    stage, reference = alone(kind, "lora"), references(kind, "lora")
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-6)
    for name, tensor in reference.weights().items():
        assert torch.allclose(stage.weights()[name], tensor, atol=1e-6), name


AXES: dict[str, dict[str, int]] = {"pp": {"pp": 2}, "cp": {"cp": 2}}
BESIDES: dict[str, dict[str, Any]] = {
    "pp": {"recompute": "full", "mesh__split": [1, 1]},
    "cp": {"recompute": "selective"},
    "recomputed": {"recompute": "full"},
    "offloaded": {"strategy__offload": True},
}
STRATEGIES = {"pp": "fsdp2", "cp": "fsdp2", "recomputed": "fsdp2", "offloaded": "fsdp2"}
CASES = [
    ("ddp", "nf4", "lora"),
    ("fsdp2", "nf4", "lora"),
    ("recomputed", "nf4", "lora"),
    ("recomputed", "nf4", "dora"),
    ("ddp", "nf4", "dora"),
    ("fsdp2", "nf4", "ia3"),
    ("recomputed", "int8", "lora"),
    ("offloaded", "single", "lora"),
    ("pp", "nf4", "lora"),
    ("cp", "nf4", "lora"),
    ("zero2", "nf4", "lora"),
    ("zero3", "nf4", "lora"),
]


@pytest.mark.parametrize(("case", "kind", "adapter"), CASES)
def test_spread_it_equals_one_process(workshop: Any, bases: Any, references: Stages, case: str, kind: str, adapter: str) -> None:
    if case.startswith("zero"):
        pytest.importorskip("deepspeed", reason="deepspeed is not installed")
    axes = AXES.get(case, {})
    where = workshop.spread(1 if axes else 2, STRATEGIES.get(case, case), micro=2, **axes)
    changes = {**bases["whole"], **BESIDES.get(case, {}), "model__quantization": KINDS[kind]}
    stage, reference = train(workshop, f"{case}-{kind}-{adapter}", where, adapter, **changes), references(kind, adapter)
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    assert [row["loss"] for row in stage.events("evaluation")] == pytest.approx(
        [row["loss"] for row in reference.events("evaluation")], abs=1e-5
    )
    for name, tensor in reference.weights().items():
        assert torch.allclose(stage.weights()[name], tensor, atol=1e-5), name


def test_matrices_stay_in_few_bits_and_out_of_checkpoints(alone: Stages, tmp_path: Path) -> None:
    whole = alone("nf4", "lora")
    stage = whole.copy(tmp_path)
    shutil.rmtree(stage.folder / "checkpoints" / "step-00000006")
    stage.finish()
    assert stage.events("resumed")[0]["step"] == 3
    assert stage.losses() == whole.losses()
    held = FileSystemReader(stage.folder / "checkpoints" / "step-00000006").read_metadata().state_dict_metadata
    assert all("lora_" in name for name in held)


def test_the_export_is_whole(alone: Stages) -> None:
    from peft import PeftModel

    export = alone("nf4", "lora").folder / "export"
    assert "quantization_config" not in json.loads((export / "config.json").read_text())
    merged = PeftModel.from_pretrained(dequantised(make_model(), "nf4"), str(export / "adapter")).merge_and_unload().state_dict()
    exported = AutoModelForCausalLM.from_pretrained(export).state_dict()
    assert exported.keys() == merged.keys()
    assert all(torch.allclose(merged[name], tensor, atol=1e-6) for name, tensor in exported.items())


def prequantise(workshop: Any, kind: str) -> dict[str, Any]:
    """The changes that make a plan start from weights that transformers has quantised."""
    few_bits = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": kind == "nf4"}
    settings = BitsAndBytesConfig(**({"load_in_8bit": True} if kind == "int8" else few_bits))
    place = workshop.root / "weights"
    model = AutoModelForCausalLM.from_pretrained(place, quantization_config=settings, device_map="cpu", dtype=torch.float32)
    model.save_pretrained(workshop.root / f"before-{kind}")
    return {"model__source": "local", "model__path": f"before-{kind}", "model__quantization": KINDS[kind]}


@pytest.mark.parametrize(("kind", "digits"), [("nf4", 1e-6), ("single", 1e-6), ("int8", 2e-3)])
def test_weights_that_come_quantised_are_taken_as_they_are(workshop: Any, alone: Stages, kind: str, digits: float) -> None:
    # bitsandbytes rounds weights to float16 before it quantises them to int8.
    stage = train(workshop, f"before-{kind}", workshop.spread(1, micro=2), **prequantise(workshop, kind))
    assert stage.losses() == pytest.approx(alone(kind, "lora").losses(), abs=digits)


def test_a_plan_for_other_storage_is_refused(workshop: Any, bases: Any) -> None:
    settings = prequantise(workshop, "nf4") | {"model__quantization": KINDS["single"]}
    done = workshop.stage("other", workshop.spread(1, micro=2), adapter=LORA, **{**LENGTH, **settings}).run()
    assert done.returncode == 1
    assert "are stored in nf4 with quantised scales, the plan was compiled for nf4: compile again" in done.stderr


def test_another_storage_does_not_continue_a_run(alone: Stages, tmp_path: Path) -> None:
    done = alone("nf4", "lora").copy(tmp_path).replan(model__quantization=KINDS["int8"]).run()
    assert done.returncode == 1
    assert "was written by another plan: quantization changed since" in done.stderr
