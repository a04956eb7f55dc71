"""A model with an adapter trains alike however it is spread; the export is the model with the adapter in its matrices."""

from __future__ import annotations

from typing import Any

import pytest
import torch

pytest.importorskip("peft", reason="peft is not installed")

pytestmark = pytest.mark.slow

LENGTH = {"schedule__total_steps": 6, "checkpoint__every_steps": 3, "evaluation": {"every_steps": 3, "batches": 2}}
TARGETS = {"q": "self_attn.q_proj", "v": "self_attn.v_proj", "down": "mlp.down_proj"}
LORA = {
    "name": "lora",
    "targets": TARGETS,
    # Two layers of q 64 -> 64, v 64 -> 32 and down 128 -> 64.
    "parameters": 2 * 4 * (128 + 96 + 192),
    "rank": 4,
    "alpha": 8.0,
    "rank_stabilized": False,
    "init": "gaussian",
}
DORA = LORA | {"name": "dora", "parameters": LORA["parameters"] + 2 * (64 + 32 + 64)}
IA3 = {"name": "ia3", "targets": TARGETS, "parameters": 2 * (64 + 32 + 128)}
IA3 |= dict.fromkeys(("rank", "alpha", "rank_stabilized", "init"))
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
    if case == "zero3":
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
