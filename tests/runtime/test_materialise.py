from __future__ import annotations

from typing import Any

import torch
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
