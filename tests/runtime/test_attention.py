"""Attention that this machine cannot train with: refused in one sentence, and called as transformers calls it."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from trainc.runtime import model
from trainc.runtime.errors import StageError
from transformers import LlamaConfig, LlamaForCausalLM

CONFIG = {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 4, "vocab_size": 64}


@pytest.mark.parametrize("attention", ["flash", "flex"])
def test_no_cpu_trains_with_it(attention: str) -> None:
    with pytest.raises(StageError, match=f"{attention} attention does not train on a CPU"):
        model._refuse_unsupported(SimpleNamespace(attention=attention), torch.device("cpu"))


@pytest.mark.skipif(importlib.util.find_spec("flash_attn") is not None, reason="the package is there")
def test_a_missing_package_is_one_sentence() -> None:
    run: Any = SimpleNamespace(plan=SimpleNamespace(precision=SimpleNamespace(params="fp32")))
    settings: Any = SimpleNamespace(attention="flash")
    with pytest.raises(StageError, match=r"^flash attention cannot be used: .*installed.$"):
        model._from_config(LlamaConfig(**CONFIG), settings, run)


@pytest.mark.slow
def test_flex_computes_what_sdpa_does() -> None:
    # Without gradients: that is all of it that runs on a CPU.
    tokens = torch.arange(32).reshape(1, 32)
    results = []
    for attention in ("sdpa", model.ATTENTION["flex"]):
        torch.manual_seed(0)
        built = LlamaForCausalLM._from_config(LlamaConfig(**CONFIG), attn_implementation=attention).eval()
        with torch.no_grad():
            results.append(built(input_ids=tokens, use_cache=False).logits)
    assert torch.allclose(*results, atol=1e-5)
