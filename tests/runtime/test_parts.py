"""What a part of a pipeline hands on."""

from __future__ import annotations

import pytest
import torch
from torch.distributed.pipelining._backward import stage_backward_input
from trainc.runtime.axes.pp import Part, _CallablePart
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig, PreTrainedConfig

GPT2 = GPT2Config(vocab_size=32, n_embd=16, n_head=2, n_layer=2, bos_token_id=0, eos_token_id=0)
LLAMA = LlamaConfig(vocab_size=32, hidden_size=16, intermediate_size=32, num_attention_heads=2, num_hidden_layers=2)


@pytest.mark.parametrize("config", [GPT2, LLAMA], ids=["gpt2", "llama"])
def test_a_schedule_can_go_back_through_a_part_and_come_again(config: PreTrainedConfig) -> None:
    part = _CallablePart(AutoModelForCausalLM.from_config(config), Part(index=1, count=3, layers=range(1, 2)))
    given = torch.randn(2, 8, 16, requires_grad=True)
    handed_on = part(given)
    (gradient,), _ = stage_backward_input([handed_on], [torch.ones_like(handed_on)], [given], part.parameters())
    assert gradient is not None
    assert not handed_on.requires_grad
