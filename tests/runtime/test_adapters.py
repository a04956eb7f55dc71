"""A model with an adapter trains alike however it is spread; the export is the model with the adapter in its matrices."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.distributed.checkpoint import FileSystemReader
from transformers import AutoConfig, AutoModelForCausalLM

pytest.importorskip("peft", reason="peft is not installed")

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
    # Two layers of q 64 -> 64, v 64 -> 32 and down 128 -> 64.
    "parameters": 2 * (4 * (128 + 192) + 2 * 96),
    "rank": 4,
    "ranks": {"v": 2},
    "alpha": 8.0,
    "rank_stabilized": False,
    "init": "gaussian",
}
DORA = LORA | {"name": "dora", "parameters": LORA["parameters"] + 2 * (64 + 32 + 64)}
IA3 = {"name": "ia3", "targets": TARGETS, "parameters": 2 * (64 + 32 + 128)}
IA3 |= dict.fromkeys(("rank", "ranks", "alpha", "rank_stabilized", "init"))
KINDS = {adapter["name"]: adapter for adapter in (LORA, DORA, IA3)}


def train(workshop: Any, name: str, adapter: dict[str, Any], where: dict[str, Any], **changes: Any) -> Any:
    return workshop.stage(name, where, adapter=adapter, **{**LENGTH, **changes}).finish()


@pytest.fixture(scope="module")
def references(workshop: Any) -> dict[str, Any]:
    return {name: train(workshop, f"one-{name}", KINDS[name], workshop.spread(1, micro=2)) for name in KINDS}


def held_out(stage: Any) -> list[float]:
    return [row["loss"] for row in stage.events("evaluation")]


# Data-parallel ranks and the degrees of other axes, for fsdp2.
AXES: dict[str, tuple[int, dict[str, int]]] = {
    "pp": (1, {"pp": 2}),
    "tp": (2, {"tp": 2}),
    "sequence": (1, {"tp": 2}),
    "cp": (1, {"cp": 2}),
}
BESIDES: dict[str, dict[str, Any]] = {
    "fsdp2": {"recompute": "full"},
    "pp": {"recompute": "full", "mesh__split": [1, 1]},
    "tp": {"recompute": "selective"},
    "sequence": {"mesh__sequence_parallel": True},
}
CASES = [(case, adapter) for case in ("ddp", "fsdp2", "pp", "zero3") for adapter in KINDS]


@pytest.mark.parametrize(("case", "adapter"), [*CASES, ("tp", "lora"), ("sequence", "lora"), ("cp", "lora")])
def test_a_spread_adapter_equals_one_process(workshop: Any, references: dict[str, Any], adapter: str, case: str) -> None:
    if case.startswith("zero"):
        pytest.importorskip("deepspeed", reason="deepspeed is not installed")
    ranks, axes = AXES.get(case, (2, {}))
    where = workshop.spread(ranks, "fsdp2" if axes else case, micro=2, **axes)
    stage = train(workshop, f"{case}-{adapter}", KINDS[adapter], where, **BESIDES.get(case, {}))
    reference = references[adapter]
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    assert [row["grad_norm"] for row in stage.metrics()] == pytest.approx(
        [row["grad_norm"] for row in reference.metrics()], abs=1e-4
    )
    assert held_out(stage) == pytest.approx(held_out(reference), abs=1e-5)
    for name, tensor in reference.weights().items():
        assert torch.allclose(stage.weights()[name], tensor, atol=1e-5), name


def test_a_checkpoint_holds_what_trains_and_continues_bit_for_bit(references: dict[str, Any], tmp_path: Path) -> None:
    whole = references["lora"]
    stage = whole.copy(tmp_path)
    shutil.rmtree(stage.folder / "checkpoints" / "step-00000006")
    stage.finish()
    assert stage.events("resumed")[0]["step"] == 3
    assert stage.losses() == whole.losses()
    held = FileSystemReader(stage.folder / "checkpoints" / "step-00000006").read_metadata().state_dict_metadata
    weights = [name for name in held if name.startswith("model.")]
    assert len(weights) == 2 * 2 * len(TARGETS)
    assert all("lora_" in name for name in held)


def resumed(stage: Any) -> Any:
    """The stage's second half once more, from the checkpoint after the first."""
    shutil.rmtree(stage.folder / "checkpoints" / "step-00000006")
    return stage.finish()


@pytest.mark.parametrize("strategy", ["fsdp2", "zero1", "zero2", "zero3"])
def test_a_spread_adapter_goes_on_bit_for_bit(workshop: Any, references: dict[str, Any], strategy: str) -> None:
    if strategy.startswith("zero"):
        pytest.importorskip("deepspeed", reason="deepspeed is not installed")
    stage = train(workshop, f"resumed-{strategy}", LORA, workshop.spread(2, strategy, micro=2))
    losses = stage.losses()
    assert losses == pytest.approx(references["lora"].losses(), abs=1e-5)
    again = resumed(stage)
    assert again.events("resumed")[0]["step"] == 3
    assert again.losses() == losses


@pytest.mark.parametrize("strategy", ["fsdp2", "zero2", "zero3"])
def test_an_adapter_goes_on_with_another_number_of_ranks(workshop: Any, references: dict[str, Any], strategy: str) -> None:
    if strategy.startswith("zero"):
        pytest.importorskip("deepspeed", reason="deepspeed is not installed")
    stage = train(workshop, f"fewer-{strategy}", LORA, workshop.spread(4, strategy))
    again = resumed(stage.respread(workshop.spread(2, strategy)))
    assert again.events("resumed")[0]["step"] == 3
    assert again.losses() == pytest.approx(references["lora"].losses(), abs=1e-5)


@pytest.mark.parametrize("adapter", KINDS)
def test_the_export_is_the_model_with_the_adapter_that_lies_beside_it(references: dict[str, Any], adapter: str) -> None:
    from peft import PeftModel

    export = references[adapter].folder / "export"
    torch.manual_seed(7)
    base = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(export))
    before = {name: tensor.clone() for name, tensor in base.state_dict().items()}
    merged = PeftModel.from_pretrained(base, str(export / "adapter")).merge_and_unload().state_dict()
    exported = AutoModelForCausalLM.from_pretrained(export).state_dict()
    assert all(torch.allclose(merged[name], tensor, atol=1e-6) for name, tensor in exported.items())
    moved = {name for name, tensor in exported.items() if not torch.equal(tensor, before[name])}
    assert moved == {f"model.layers.{layer}.{path}.weight" for layer in range(2) for path in TARGETS.values()}


def test_another_adapter_does_not_continue_a_run(references: dict[str, Any], tmp_path: Path) -> None:
    stage = references["lora"].copy(tmp_path).replan(adapter__alpha=4.0)
    done = stage.run()
    assert done.returncode == 1
    assert "was written by another plan: adapter changed since" in done.stderr
