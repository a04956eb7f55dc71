"""DeepSpeed's own parser takes every ds_config.json, and knows every key in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trainc.compiler.driver import analyse
from trainc.compiler.zero_settings import settings_json

pytest.importorskip("deepspeed", reason="deepspeed is not installed")

BASE = Path("tests/cases/rules/base.train").resolve()
STRATEGIES = [
    "zero1",
    "zero2 { offload_optimizer = cpu }",
    "zero2 { bucket = 64 MiB, gather_bucket = 32 MiB }",
    "zero3",
    "zero3 { offload_optimizer = cpu, offload_parameters = cpu }",
    'zero3 { offload_optimizer = nvme, offload_parameters = nvme, nvme_path = "/local_nvme" }',
    "zero3 { hpz_partition = 8, quantized_weights = true, quantized_gradients = true, live_parameters = 100M }",
]


class Ranks:
    """What DeepSpeed asks of a parallel layout."""

    def __init__(self, data_parallel: int) -> None:
        self.data_parallel = data_parallel

    def get_data_parallel_world_size(self) -> int:
        return self.data_parallel

    def get_tensor_model_parallel_world_size(self) -> int:
        return 1


def settings_of(strategy: str, compute: str = "bf16") -> dict[str, Any]:
    text = BASE.read_text().replace("strategy  = fsdp2", f"strategy = {strategy}").replace("compute = bf16", f"compute = {compute}")
    plan = analyse(BASE, {}, text).plan
    assert plan is not None
    content = settings_json(plan.stages[0].spec, plan.stages[0].batch)
    assert content is not None
    found: dict[str, Any] = json.loads(content)
    return found


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_deepspeed_takes_the_settings(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from deepspeed import comm
    from deepspeed.runtime.config import DeepSpeedConfig

    monkeypatch.setattr(comm, "get_rank", lambda: 0)
    settings = settings_of(strategy)
    read = DeepSpeedConfig(settings, mpu=Ranks(16))
    assert (read.train_batch_size, read.train_micro_batch_size_per_gpu, read.gradient_accumulation_steps) == (64, 2, 2)
    assert read.gradient_clipping == settings["gradient_clipping"] == 1.0
    assert read.zero_config.stage == settings["zero_optimization"]["stage"]
    assert read.bfloat16_config.enabled


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_deepspeed_knows_every_key(strategy: str) -> None:
    from deepspeed.runtime import constants, precision_config, torch_autocast
    from deepspeed.runtime.swap_tensor import constants as swapping
    from deepspeed.runtime.zero import config

    modules = (constants, precision_config, torch_autocast, swapping, config)
    known = {value for module in modules for value in vars(module).values() if isinstance(value, str)}
    # Within its parts DeepSpeed forbids unknown keys itself; at the top it ignores them.
    assert set(settings_of(strategy)) <= known


def test_nothing_is_left_for_deepspeed_to_choose() -> None:
    text = json.dumps([settings_of(strategy) for strategy in STRATEGIES])
    assert "auto" not in text.replace("torch_autocast", "")
    assert "null" not in text


def test_buckets_are_bytes_in_the_language_and_elements_in_deepspeed() -> None:
    zero = settings_of("zero2 { bucket = 64 MiB, gather_bucket = 32 MiB }")["zero_optimization"]
    assert zero["reduce_bucket_size"] == 64 * 2**20 // 4
    assert zero["allgather_bucket_size"] == 32 * 2**20 // 2
