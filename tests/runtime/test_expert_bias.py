"""Biases that pick experts move towards balance, by the visits of whole steps, however these are spread."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from trainc.compiler.families import family
from trainc.compiler.spec import ArchitectureSpec
from trainc.runtime import expert_bias
from trainc.runtime.network import Network
from transformers import AutoConfig
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3TopkRouter

EXPERTS, VISITED = 8, 2
ALONE: Any = SimpleNamespace(meshes=SimpleNamespace(size=lambda axis: 1))


@pytest.fixture
def router() -> Any:
    """A router that prefers some experts."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "n_routed_experts": EXPERTS, "num_experts_per_tok": VISITED, "n_group": 1, "topk_group": 1}
    made = DeepseekV3TopkRouter(AutoConfig.for_model("deepseek_v3", **sizes))
    nn.init.normal_(made.weight, std=0.3)
    return made.train()


def steered(router: nn.Module, rate: float) -> Network:
    network: Any = Network(nn.Sequential(router), nn.Sequential(router), None, None, None)  # type: ignore[arg-type]
    expert_bias.steer(network, ALONE, rate)
    return network  # type: ignore[no-any-return]


def visits(router: Any, tokens: int = 256) -> torch.Tensor:
    """How often each expert is picked by some tokens that lean one way."""
    *_, picked = router(torch.randn(tokens, 16) + 0.5)
    return torch.bincount(picked.flatten(), minlength=EXPERTS)


def test_a_step_moves_each_bias_towards_the_mean(router: Any) -> None:
    network = steered(router, 0.5)
    found = visits(router) + visits(router)
    network.stepped(True)
    mean = 2 * 256 * VISITED / EXPERTS
    assert torch.equal(router.e_score_correction_bias, 0.5 * (mean - found).sign())
    assert found.max() > mean


def test_experts_become_balanced(router: Any) -> None:
    before = visits(router, 8192)
    network = steered(router, 0.002)
    for _ in range(300):
        visits(router)
        network.stepped(True)
    after = visits(router, 8192)
    assert before.max() > 1.7 * before.float().mean()
    assert after.max() < 1.1 * after.float().mean()


def test_evaluation_and_steps_that_are_left_out_move_nothing(router: Any) -> None:
    network = steered(router, 0.5)
    visits(router.eval())
    network.stepped(True)
    assert not router.e_score_correction_bias.any()
    visits(router.train())
    network.stepped(False)
    network.stepped(True)
    assert not router.e_score_correction_bias.any()


SHAPE = ArchitectureSpec(
    family="deepseek_v3",
    layers=2,
    hidden=64,
    ffn=128,
    heads=4,
    vocab=512,
    max_sequence=64,
    experts=8,
    experts_per_token=3,
    expert_ffn=32,
    shared_experts=2,
    first_k_dense_replace=1,
    q_lora_rank=24,
    kv_lora_rank=16,
    qk_nope_head_dim=16,
    qk_rope_head_dim=8,
    v_head_dim=20,
    n_group=4,
    topk_group=2,
    routed_scaling_factor=2.5,
)
PLAN = {
    "model__model_type": "deepseek_v3",
    "model__config": family("deepseek_v3").config(SHAPE),
    "model__parameters": sum(family("deepseek_v3").parameters(SHAPE).values()),
    "schedule__total_steps": 3,
    "checkpoint__every_steps": 3,
}
STEER = {"before_fit": "from trainc.runtime import expert_bias; expert_bias.steer(network, run, 0.01)"}
BIAS = "model.layers.1.mlp.gate.e_score_correction_bias"
SPREAD: dict[str, tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]] = {
    "ep": ((2, "fsdp2"), {"ep": 2}, {"recompute": "selective"}),
    "pp": ((1, "fsdp2"), {"pp": 2}, {"mesh__split": [1, 1]}),
    "ring": ((1, "fsdp2"), {"cp": 2, "cp_method": "ring"}, {}),
    "zero3": ((2, "zero3"), {}, {}),
    "compiled": ((2, "fsdp2"), {}, {"compile": "default", "recompute": "selective"}),
}


@pytest.fixture(scope="module")
def alone(workshop: Any) -> Any:
    return workshop.stage("alone", workshop.spread(1), STEER, **PLAN).finish()


@pytest.mark.slow
@pytest.mark.parametrize("name", SPREAD)
def test_biases_and_losses_are_those_of_one_process(name: str, workshop: Any, alone: Any) -> None:
    ranks, axes, changes = SPREAD[name]
    stage = workshop.stage(name, workshop.spread(*ranks, **axes), STEER, **PLAN, **changes).finish()
    assert stage.losses() == pytest.approx(alone.losses(), abs=1e-5)
    assert torch.equal(stage.weights()[BIAS], alone.weights()[BIAS])
    assert alone.weights()[BIAS].any()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["fsdp2", "zero2"])
def test_a_resumed_run_goes_on_with_its_biases(strategy: str, workshop: Any) -> None:
    settings = PLAN | {"schedule__total_steps": 4, "checkpoint__every_steps": 2}
    whole = workshop.stage(f"whole-{strategy}", workshop.spread(2, strategy), STEER, **settings).finish()
    halves = workshop.stage(f"halves-{strategy}", workshop.spread(2, strategy), STEER, **settings).finish()
    # What was written last is gone: the run goes on from the step before.
    newest = max((halves.folder / "checkpoints").iterdir())
    for entry in sorted(newest.rglob("*"), reverse=True):
        entry.unlink() if entry.is_file() else entry.rmdir()
    newest.rmdir()
    halves.finish()
    assert [event["step"] for event in halves.events("resumed")] == [2]
    assert halves.losses() == whole.losses()
    for name, tensor in whole.weights().items():
        assert torch.equal(halves.weights()[name], tensor), name
