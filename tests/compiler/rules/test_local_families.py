"""TRN608 reads the config.json of every family in its own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse

SPEC = """import std.clusters

model base {{
  source    = local {{ path = "weights" }}
  tokenizer = pretrained {{ path = "weights" }}
  architecture {{ {shape} }}
}}
stage tune {{
  model     = base
  data      {{ train = python_stdlib, sequence = 32 }}
  mesh      {{ cluster = clusters.workstation, dp_shard = 1 }}
  strategy  = ddp
  batch     {{ global = 8 }}
  optimizer = adamw {{ lr = 1e-4 }}
  duration  = 10 steps
}}
"""
SIZES = "layers = 3, hidden = 64, ffn = 256, heads = 4, vocab = 512, max_sequence = 128"

LATENT = (
    "experts = 8, experts_per_token = 2, shared_experts = 1, kv_lora_rank = 16, "
    "qk_nope_head_dim = 16, qk_rope_head_dim = 8, v_head_dim = 16"
)


@pytest.mark.parametrize(
    ("shape", "config", "said"),
    [
        (f"family = gpt2, {SIZES}", {"n_layer": 2, "n_embd": 64, "n_inner": None}, "`layers` is 3"),
        (f"family = gpt2, {SIZES}", {"n_positions": 1024}, "`max_sequence` is 128"),
        (f"family = mixtral, {SIZES}, experts = 4", {"num_local_experts": 8}, "`experts` is 4"),
        (f"family = qwen3_moe, {SIZES}, experts = 4", {"moe_intermediate_size": 32}, "`expert_ffn` is 256"),
        (f"family = deepseek_v3, {SIZES}, {LATENT}", {"n_routed_experts": 16}, "`experts` is 8"),
        (f"family = deepseek_v3, {SIZES}, {LATENT}", {"kv_lora_rank": 32, "num_key_value_heads": 4}, "`kv_lora_rank` is 16"),
        (f"family = deepseek_v3, {SIZES}, {LATENT}", {"first_k_dense_replace": 1}, "`first_k_dense_replace` is 0"),
        (f"family = llama, {SIZES}", {"model_type": "mistral", "num_hidden_layers": 9}, "`family` is llama"),
        (f"family = llama, {SIZES}", {"model_type": "bloom"}, "`family` is llama"),
    ],
)
def test_a_local_model_of_another_shape_is_found(shape: str, config: dict[str, object], said: str, tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "config.json").write_text(json.dumps(config))
    (tmp_path / "spec.train").write_text(SPEC.format(shape=shape))
    found = [finding for finding in analyse(tmp_path / "spec.train", {}).findings if finding.code == "TRN608"]
    assert [said in finding.message for finding in found] == [True]
