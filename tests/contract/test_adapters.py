"""What an adapter adds by the compiler's arithmetic is what PEFT adds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch
from trainc.compiler.adapters import facts, layer_shapes
from trainc.compiler.families import family
from trainc.compiler.spec import Adapter, ArchitectureSpec, ModelSpec, Random
from trainc.compiler.spec.training import RanksSpec
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

pytest.importorskip("peft", reason="peft is not installed")

from trainc.runtime.adapters.inject import inject
from trainc.runtime.parameter_groups import part_of
from trainc.runtime.planfile import RunAdapter

pytestmark = pytest.mark.slow

SIZES = {"layers": 2, "hidden": 64, "ffn": 176, "heads": 4, "vocab": 256, "max_sequence": 128}
GROUPED, ROUTED = {"kv_heads": 2}, {"experts": 8, "experts_per_token": 2, "kv_heads": 2}
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": GROUPED,
    "qwen2": GROUPED,
    "qwen3": GROUPED | {"head_dim": 24},
    "mistral": GROUPED,
    "phi3": GROUPED,
    "gemma": GROUPED,
    "gemma2": GROUPED,
    "gpt_neox": {},
    "gpt2": {"tied_embeddings": True},
    "mixtral": ROUTED,
    "qwen3_moe": ROUTED,
}
ADAPTERS = [
    ("lora", {"ranks": RanksSpec(o=3)}),
    ("lora", {"targets": ["o"], "rank": 3, "init": "gaussian"}),
    ("dora", {}),
    ("ia3", {"targets": ["all_linear"]}),
]


def build(shape: ArchitectureSpec) -> PreTrainedModel:
    settings = family(shape.family).config(shape)
    config = AutoConfig.for_model(shape.family, **settings, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(config)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("variant", "settings"), ADAPTERS, ids=["lora", "lora of o", "dora", "ia3"])
def test_what_trains_is_what_peft_adds(name: str, variant: str, settings: dict[str, Any]) -> None:
    shape = ArchitectureSpec(family=name, **{**SIZES, **FAMILIES[name]})
    adapter = Adapter.variants[variant](**settings)
    model = build(shape)
    # Refuses another number of parameters.
    inject(model, RunAdapter(**facts(adapter, ModelSpec(name="m", source=Random(), architecture=shape))))
    trained = {path: entry for path, entry in model.named_parameters() if entry.requires_grad}
    found = Counter((part_of(path, entry, model), entry.numel()) for path, entry in trained.items())
    each = [(part, torch.Size(size).numel()) for part, sizes in layer_shapes(adapter, shape).items() for size in sizes]
    assert found == Counter(each * shape.layers)
