"""Every family trains: on one process, and sharded over two the same."""

from __future__ import annotations

from typing import Any

import pytest
from trainc.compiler.families import family
from trainc.compiler.spec import ArchitectureSpec
from transformers import AutoModelForCausalLM

BASE = {"layers": 2, "hidden": 64, "ffn": 128, "heads": 4, "vocab": 512, "max_sequence": 64}
SHAPES: dict[str, dict[str, Any]] = {
    "llama": {"kv_heads": 2, "attention_bias": True, "tied_embeddings": True},
    "qwen2": {"kv_heads": 2},
    "qwen3": {"kv_heads": 2, "head_dim": 24},
    "mistral": {"kv_heads": 2, "sliding_window": 16},
    "phi3": {"kv_heads": 2, "rotary_share": 0.75},
    "gemma": {"kv_heads": 1, "head_dim": 24, "tied_embeddings": True},
    "gemma2": {"kv_heads": 2, "sliding_window": 16, "attention_softcap": 50.0, "logit_softcap": 30.0},
    "gpt_neox": {"rotary_share": 0.25, "parallel_residual": True},
    "gpt2": {"tied_embeddings": True},
    "mixtral": {"kv_heads": 2, "experts": 4, "experts_per_token": 2, "router_aux_loss": 0.02},
    "qwen3_moe": {"kv_heads": 2, "head_dim": 24, "experts": 8, "experts_per_token": 3, "expert_ffn": 32},
    "deepseek_v3": {
        "experts": 8,
        "experts_per_token": 3,
        "expert_ffn": 32,
        "shared_experts": 2,
        "first_k_dense_replace": 1,
        "q_lora_rank": 24,
        "kv_lora_rank": 16,
        "qk_nope_head_dim": 16,
        "qk_rope_head_dim": 8,
        "v_head_dim": 20,
        "n_group": 4,
        "topk_group": 2,
        "routed_scaling_factor": 2.5,
    },
}
pytestmark = pytest.mark.slow


def plan(name: str) -> dict[str, Any]:
    """The part of a plan that says what is trained."""
    model, architecture = family(name), ArchitectureSpec(family=name, **BASE, **SHAPES[name])
    return {
        "model__model_type": name,
        "model__config": model.config(architecture),
        "model__attention": "sdpa" if model.fused_attention else "eager",
        "model__parameters": sum(model.parameters(architecture).values()),
        "schedule__total_steps": 3,
        "evaluation__every_steps": 3,
        "checkpoint__every_steps": 3,
    }


@pytest.mark.parametrize("name", SHAPES)
def test_a_family_trains_and_its_export_is_what_transformers_loads(name: str, workshop: Any) -> None:
    # The balance of experts is a mean over a micro-batch: both runs have the same ones.
    stage = workshop.stage(name, workshop.spread(1), **plan(name)).finish()
    losses = stage.losses()
    assert len(losses) == 3
    assert losses[-1] < losses[0]
    exported = AutoModelForCausalLM.from_pretrained(stage.folder / "export")
    assert exported.config.model_type == name
    assert sum(value.numel() for value in exported.parameters()) == plan(name)["model__parameters"]
    sharded = workshop.stage(f"{name}-sharded", workshop.spread(2, "fsdp2"), recompute="selective", **plan(name)).finish()
    assert sharded.losses() == pytest.approx(losses, abs=1e-5)
