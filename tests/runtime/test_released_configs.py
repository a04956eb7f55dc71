"""The config.json of released models, in the words of their time, is what a plan of the same shape was compiled for."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from trainc.compiler.families import family
from trainc.compiler.spec import ArchitectureSpec, Llama3, Yarn
from trainc.runtime import model
from trainc.runtime.errors import StageError
from trainc.runtime.planfile import RunModel

SIZES = {"layers": 2, "hidden": 64, "ffn": 256, "heads": 4, "vocab": 512, "max_sequence": 128}
USUAL = {
    "hidden_size": 64,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 512,
    "max_position_embeddings": 128,
}
GROUPED = USUAL | {"num_key_value_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0}
RESCALED = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
GPT2 = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128, "vocab_size": 512}
SHARPENED = {
    "factor": 40,
    "original_max_position_embeddings": 64,
    "beta_fast": 32,
    "beta_slow": 1,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
}
LATENT = {
    "experts": 8,
    "experts_per_token": 2,
    "expert_ffn": 32,
    "shared_experts": 1,
    "first_k_dense_replace": 1,
    "q_lora_rank": 24,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
    "n_group": 4,
    "topk_group": 2,
    "routed_scaling_factor": 2.5,
}
# What a release says, and the architecture that describes it.
RELEASED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "llama": (
        GROUPED | {"rope_scaling": RESCALED | {"rope_type": "llama3"}, "attention_bias": False},
        {"kv_heads": 2, "rope": Llama3(factor=8.0)},
    ),
    "qwen2": (GROUPED | {"use_sliding_window": False, "sliding_window": 131072, "max_window_layers": 28}, {"kv_heads": 2}),
    "qwen3": (GROUPED | {"head_dim": 24, "rope_scaling": None, "use_sliding_window": False}, {"kv_heads": 2, "head_dim": 24}),
    "mistral": (GROUPED | {"sliding_window": 4096}, {"kv_heads": 2, "sliding_window": 4096}),
    "phi3": (
        GROUPED | {"rope_scaling": None, "sliding_window": 2047, "pad_token_id": 32000},
        {"kv_heads": 2, "sliding_window": 2047},
    ),
    "gemma": (
        GROUPED | {"hidden_act": "gelu", "head_dim": 24, "tie_word_embeddings": True},
        {"kv_heads": 2, "head_dim": 24, "tied_embeddings": True},
    ),
    "gpt_neox": (
        USUAL | {"rotary_pct": 0.25, "rotary_emb_base": 10000, "use_parallel_residual": True, "layer_norm_eps": 1e-5},
        {"rotary_share": 0.25, "parallel_residual": True},
    ),
    "gpt2": (GPT2 | {"n_ctx": 128, "attn_pdrop": 0.1, "activation_function": "gelu_new"}, {"tied_embeddings": True}),
    "mixtral": (
        GROUPED | {"num_local_experts": 4, "num_experts_per_tok": 2, "router_aux_loss_coef": 0.02, "sliding_window": None},
        {"kv_heads": 2, "experts": 4, "experts_per_token": 2},
    ),
    "qwen3_moe": (
        GROUPED | {"head_dim": 24, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "norm_topk_prob": True},
        {"kv_heads": 2, "head_dim": 24, "experts": 4, "experts_per_token": 2, "expert_ffn": 32},
    ),
    # As in deepseek-ai/DeepSeek-V3, but for its sizes and without the quantisation of its weights.
    "deepseek_v3": (
        GROUPED
        | {"num_key_value_heads": 4, "n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2, "ep_size": 1}
        | {"moe_intermediate_size": 32, "moe_layer_freq": 1, "first_k_dense_replace": 1, "scoring_func": "sigmoid"}
        | {"kv_lora_rank": 16, "q_lora_rank": 24, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16}
        | {"n_group": 4, "topk_group": 2, "topk_method": "noaux_tc", "norm_topk_prob": True, "routed_scaling_factor": 2.5}
        | {"num_nextn_predict_layers": 1, "rope_scaling": SHARPENED | {"type": "yarn"}, "attention_bias": False},
        LATENT | {"rope": Yarn(factor=40, original_sequence=64, beta_fast=32, beta_slow=1, mscale=1.0, mscale_all_dim=1.0)},
    ),
}


def read(name: str, stated: dict[str, Any], changes: dict[str, Any], folder: Path) -> Any:
    """The configuration that a stage takes from a folder, or its refusal."""
    (folder / "config.json").write_text(json.dumps({"model_type": name, **stated}))
    config = family(name).config(ArchitectureSpec(family=name, **SIZES, **changes))
    settings = RunModel("local", "weights", None, name, config, "sdpa", 0, None)
    run: Any = SimpleNamespace(model_place=lambda: folder)
    found = model._config(settings, None, run)  # type: ignore[arg-type]
    model._refuse_another(found, settings)
    return found


@pytest.mark.parametrize("name", RELEASED)
def test_a_release_is_what_its_description_says(name: str, tmp_path: Path) -> None:
    read(name, *RELEASED[name], tmp_path)


def test_rescaled_positions_that_the_spec_does_not_state_are_refused(tmp_path: Path) -> None:
    stated, _ = RELEASED["llama"]
    with pytest.raises(StageError, match="rope_parameters"):
        read("llama", stated, {"kv_heads": 2}, tmp_path)


def test_quantised_weights_are_refused(tmp_path: Path) -> None:
    stated, changes = RELEASED["deepseek_v3"]
    quantised = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
    with pytest.raises(StageError, match="quantised"):
        read("deepseek_v3", stated | quantised, changes, tmp_path)


def test_a_score_that_the_spec_does_not_state_is_refused(tmp_path: Path) -> None:
    stated, changes = RELEASED["deepseek_v3"]
    plain = Yarn(factor=40, original_sequence=64, beta_fast=32, beta_slow=1)
    with pytest.raises(StageError, match="rope_parameters"):
        read("deepseek_v3", stated, changes | {"rope": plain}, tmp_path)


def test_no_layer_that_predicts_further_is_exported(tmp_path: Path) -> None:
    assert read("deepseek_v3", *RELEASED["deepseek_v3"], tmp_path).num_mtp_layers == 0


def test_the_plan_decides_about_dropout_and_balance(tmp_path: Path) -> None:
    assert read("gpt2", *RELEASED["gpt2"], tmp_path).attn_pdrop == 0.0
    assert read("mixtral", *RELEASED["mixtral"], tmp_path).router_aux_loss_coef == 0.001
