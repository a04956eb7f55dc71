"""The planner's peak of a pipeline's heaviest rank against the tensors of real steps on two ranks."""

import json
import os
from pathlib import Path

import pytest
import warm

ROOT = Path(__file__).resolve().parents[2]
GROUPS = {"gpipe": 1, "one_f_one_b": 1, "interleaved": 2, "zero_bubble": 2, "zbv": 2, "dualpipe_v": 2}
# Three of eight layers are dense.
DEEPSEEK_V3 = {
    "family": "deepseek_v3",
    "kv_heads": None,
    "experts": 8,
    "experts_per_token": 2,
    "expert_ffn": 256,
    "shared_experts": 1,
    "first_k_dense_replace": 3,
    "q_lora_rank": 96,
    "kv_lora_rank": 64,
    "qk_nope_head_dim": 24,
    "qk_rope_head_dim": 8,
    "v_head_dim": 32,
}
CASES = {
    **{name: (name, groups, {}) for name, groups in GROUPS.items()},
    "deepseek_v3, gpipe": ("gpipe", 1, DEEPSEEK_V3),
    "deepseek_v3, one_f_one_b": ("one_f_one_b", 1, DEEPSEEK_V3),
    "deepseek_v3, interleaved": ("interleaved", 2, DEEPSEEK_V3),
}


@pytest.mark.slow
def test_the_heaviest_rank_is_planned_within_15_percent():
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".src"), "OMP_NUM_THREADS": "1"}
    result = warm.run(ROOT / "benchmarks/traced_pipeline.py", 2, environment, 300, (json.dumps(list(CASES.values())),))
    assert result.returncode == 0, result.stderr
    for name, (planned, traced) in zip(CASES, json.loads(result.stdout.splitlines()[-1]), strict=True):
        assert planned == pytest.approx(traced, rel=0.15), name
