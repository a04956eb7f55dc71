from __future__ import annotations

from typing import Any

import pytest
import torch
from trainc.compiler.families import family
from trainc.compiler.spec import ArchitectureSpec, Llama3, Yarn
from trainc.runtime.network import materialise
from transformers import AutoConfig, AutoModelForCausalLM


def test_memory_given_to_a_meta_model_has_its_buffers_and_its_ties(plan: dict[str, Any]) -> None:
    config = AutoConfig.for_model("llama", **plan["model"]["config"])
    real = AutoModelForCausalLM.from_config(config)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    materialise(model, torch.device("cpu"))
    assert model.lm_head.weight is model.model.embed_tokens.weight
    expected = dict(real.named_buffers())
    assert expected
    for name, buffer in model.named_buffers():
        assert torch.equal(buffer, expected[name]), name


SHAPE = {"layers": 2, "hidden": 32, "ffn": 64, "heads": 4, "vocab": 128, "max_sequence": 32}
BUFFERED = {
    "gemma": {},
    "gemma2": {},
    "gpt2": {},
    "gpt_neox": {"rotary_share": 0.5},
    "llama": {"rope": Llama3(factor=8.0)},
    "mixtral": {"experts": 4},
    "phi3": {"rotary_share": 0.5},
    "qwen3": {"rope": Yarn(factor=4.0, original_sequence=16)},
}


@pytest.mark.parametrize("name", BUFFERED)
def test_every_family_gets_its_buffers_back(name: str) -> None:
    settings = family(name).config(ArchitectureSpec(family=name, **SHAPE, **BUFFERED[name]))
    config = AutoConfig.for_model(name, **settings, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    real = AutoModelForCausalLM.from_config(config)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    materialise(model, torch.device("cpu"))
    expected = dict(real.named_buffers())
    assert dict(model.named_buffers()).keys() == expected.keys()
    for place, buffer in model.named_buffers():
        assert torch.equal(buffer, expected[place]), place
