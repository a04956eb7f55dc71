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

SHAPE = {"layers": 1, "hidden": 32, "ffn": 64, "heads": 4, "vocab": 128, "max_sequence": 32, "experts": 4, "experts_per_token": 2}


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


def test_training_adds_the_balance_of_each_sequence_weighted_by_its_targets() -> None:
    plain, balanced = causal.loss(network(0.0), batch()), causal.loss(network(0.5), batch())
    # transformers takes the balance of all that it sees at once: here of one sequence of one layer.
    alone = [network(0.5).model(input_ids=sequence[None]).aux_loss.item() for sequence in batch().inputs]
    assert (balanced - plain).item() == pytest.approx(0.5 * 15 * sum(alone), rel=1e-4)


def test_the_balance_does_not_depend_on_micro_batches() -> None:
    whole, made = causal.loss(network(0.5), batch()), batch()
    rows = [SimpleNamespace(inputs=made.inputs[row : row + 1], targets=made.targets[row : row + 1], hints={}) for row in (0, 1)]
    parts = [causal.loss(network(0.5), row).item() for row in rows]
    assert sum(parts) == pytest.approx(whole.item(), rel=1e-6)


def test_evaluation_is_the_causal_loss_alone() -> None:
    with torch.no_grad():
        assert causal.loss(network(0.5), batch()).item() == pytest.approx(causal.loss(network(0.0), batch()).item(), rel=1e-6)
