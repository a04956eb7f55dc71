"""What the optimizers that trainc steps itself compute, held against torch's and against a paper's algorithm."""

from __future__ import annotations

import importlib.util
import shutil
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from trainc.runtime.errors import StageError
from trainc.runtime.optimizers import adamw8bit
from trainc.runtime.optimizers.adafactor import Adafactor
from trainc.runtime.optimizers.lion import Lion
from trainc.runtime.optimizers.muon import WholeMatrices


def test_adafactor_is_that_of_torch() -> None:
    torch.manual_seed(0)
    shapes = [(6, 10), (4, 6, 8), (12,)]
    settings = {"lr": 0.03, "weight_decay": 0.1}
    ours, theirs = ([torch.nn.Parameter(torch.randn(shape, generator=draw(1))) for shape in shapes] for _ in range(2))
    both = Adafactor(ours, **settings), torch.optim.Adafactor(theirs, **settings)
    for number in range(4):
        for parameters in (ours, theirs):
            for parameter in parameters:
                parameter.grad = torch.randn(parameter.shape, generator=draw(10 + number))
        for optimizer in both:
            optimizer.step()
    assert all(torch.allclose(one, other, atol=1e-6) for one, other in zip(ours, theirs, strict=True))


def test_lion_is_the_algorithm_of_its_paper() -> None:
    weight, gradient = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0])), torch.tensor([0.5, 0.1, -0.2])
    optimizer = Lion([weight], lr=0.1, betas=(0.9, 0.99), weight_decay=0.5)
    expected, moment = weight.detach().clone(), torch.zeros(3)
    for sign in (1.0, -1.0, -1.0):
        weight.grad = sign * gradient
        optimizer.step()
        update = torch.sign(0.9 * moment + 0.1 * sign * gradient)
        expected, moment = expected - 0.1 * (update + 0.5 * expected), 0.99 * moment + 0.01 * sign * gradient
    assert torch.allclose(weight, expected)


def test_adamw8bit_without_its_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(StageError, match="adamw8bit needs the package torchao"):
        adamw8bit.build(None, None)  # type: ignore[arg-type]


def test_adamw8bit_without_a_compiler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    network: Any = SimpleNamespace(parameters=[torch.zeros(1)])
    settings: Any = None
    with pytest.raises(StageError, match="the step of adamw8bit for the CPU needs a C\\+\\+ compiler"):
        adamw8bit.build(network, settings)


def draw(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("nesterov", [True, False])
def test_muon_is_that_of_torch(nesterov: bool) -> None:
    settings = {"lr": 0.02, "weight_decay": 0.1, "nesterov": nesterov, "adjust_lr_fn": "match_rms_adamw"}
    ours, theirs = ([torch.nn.Parameter(torch.randn(8, 12, generator=draw(1)))] for _ in range(2))
    both = WholeMatrices(ours, **settings), torch.optim.Muon(theirs, **settings)
    for number in range(3):
        for optimizer, (matrix,) in zip(both, (ours, theirs), strict=True):
            matrix.grad = torch.randn(8, 12, generator=draw(10 + number))
            optimizer.step()
    assert torch.equal(ours[0], theirs[0])
