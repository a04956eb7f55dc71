"""The loss that balances experts: in training beside the causal one, in evaluation not."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from trainc.compiler.families import family
from trainc.compiler.spec import ArchitectureSpec
from trainc.runtime.data import IGNORED
from trainc.runtime.objectives import causal
from transformers import AutoConfig, AutoModelForCausalLM

SHAPE = {"layers": 2, "hidden": 32, "ffn": 64, "heads": 4, "vocab": 128, "max_sequence": 32, "experts": 4, "experts_per_token": 2}


def network(weight: float) -> Any:
    architecture = ArchitectureSpec(family="mixtral", router_aux_loss=weight, **SHAPE)
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model("mixtral", **family("mixtral").config(architecture)))
    return SimpleNamespace(module=model, model=model, autocast=nullcontext)


def batch() -> Any:
    torch.manual_seed(2)
    inputs = torch.randint(128, (2, 16))
    targets = inputs.roll(-1, 1)
    targets[:, -1] = IGNORED
    return SimpleNamespace(inputs=inputs, targets=targets, hints={})


def test_training_adds_the_weighted_balance_of_each_target() -> None:
    plain, balanced = causal.loss(network(0.0), batch()), causal.loss(network(0.5), batch())
    model = network(0.5).model
    aux = model(input_ids=batch().inputs).aux_loss
    assert (balanced - plain).item() == pytest.approx(0.5 * 30 * aux.item(), rel=1e-4)


def test_evaluation_is_the_causal_loss_alone() -> None:
    with torch.no_grad():
        assert causal.loss(network(0.5), batch()).item() == pytest.approx(causal.loss(network(0.0), batch()).item(), rel=1e-6)
