"""Precisions: how near to fp32 they stay, and what a step whose gradient overflows does."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import torch
from trainc.runtime import float8, scaling
from trainc.runtime.errors import StageError
from trainc.runtime.parallel.ddp import _refuse_unsupported
from trainc.runtime.planfile import RunPrecision
from trainc.runtime.scaling import LossScale

MIXED = {"compute": "bf16", "params": "fp32", "reduce": "fp32", "loss_scaling": "none", "fp8_recipe": None}
HALF = MIXED | {"compute": "fp16", "loss_scaling": "dynamic"}
EIGHTH = MIXED | {"compute": "fp8", "fp8_recipe": "tensorwise"}
# Nothing overflows from here, so that every step is taken.
GENTLE = {"preamble": "scaling.FIRST = 2.0**10\n"}
# The gradient of one rank alone overflows, in the third step.
OVERFLOW = {
    "after_engine": """
    calls = []
    original = engine.loss

    def overflowing(network, batch):
        if network.module.training:
            calls.append(batch.samples)
        summed = original(network, batch)
        return summed * torch.tensor(1.0) if len(calls) != 9 or run.rank == 0 else Overflow.apply(summed)

    engine = autograd.Autograd(run, network, overflowing, optimizer, schedule, engine.scaling)
""",
    "preamble": """
import torch

scaling.FIRST = 2.0**10


class Overflow(torch.autograd.Function):
    @staticmethod
    def forward(context, loss):
        return loss.clone()

    @staticmethod
    def backward(context, gradient):
        return gradient * float("inf")

""",
}


def precision(**changes: Any) -> RunPrecision:
    return RunPrecision(**MIXED | changes)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (precision(compute="fp32", params="bf16"), "cannot compute in fp32 on bf16 parameters"),
        (precision(params="bf16"), "reduces gradients in the type of the parameters"),
        (precision(reduce="bf16"), "on GPUs only"),
    ],
)
def test_ddp_refuses_what_it_cannot_do(asked: RunPrecision, reason: str) -> None:
    with pytest.raises(StageError, match=reason):
        _refuse_unsupported(asked, torch.device("cpu"))


def test_a_step_that_overflows_halves_the_scale_and_2000_good_ones_double_it() -> None:
    scale = scaling.dynamic()
    assert not scale.judge(math.inf)
    assert not scale.judge(math.nan)
    assert scale.value == scaling.FIRST / 4
    assert all(scale.judge(1.0) for _ in range(1999))
    assert scale.value == scaling.FIRST / 4
    assert scale.judge(1.0)
    assert (scale.value, scale.clean_steps) == (scaling.FIRST / 2, 0)


def test_a_scale_that_no_overflow_can_be_blamed_on_ends_the_run() -> None:
    scale = LossScale(dynamic=True, value=1.0)
    with pytest.raises(StageError, match="at every loss scale"):
        scale.judge(math.nan)


def test_a_fixed_scale_stays_one() -> None:
    scale = LossScale()
    assert scale.judge(1.0)
    assert not scale.judge(math.inf)
    scale.restore({"value": 8.0, "clean_steps": 3})
    assert scale.value == 1.0


def test_fp8_without_its_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(float8.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(StageError, match="fp8 needs the package torchao"):
        float8._refuse_unsupported(torch.device("cpu"))


@pytest.fixture(scope="module")
def exact(workshop: Any) -> Any:
    return workshop.stage("exact", schedule__total_steps=5).finish()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
@pytest.mark.parametrize(("name", "used", "script"), [("bf16", MIXED, {}), ("fp16", HALF, GENTLE)])
def test_half_precision_stays_near_fp32_and_exports_fp32_parameters(
    workshop: Any, exact: Any, strategy: str, name: str, used: dict[str, Any], script: dict[str, str]
) -> None:
    where = workshop.spread(1, strategy, micro=2)
    stage = workshop.stage(f"{name}-{strategy}", where, script=script, precision=used, schedule__total_steps=5).finish()
    assert stage.losses() == pytest.approx(exact.losses(), abs=2e-2)
    assert stage.losses() != exact.losses()
    assert all(tensor.dtype == torch.float32 for tensor in stage.weights().values())


@pytest.mark.slow
@pytest.mark.parametrize("axes", [{}, {"tp": 2}], ids=["fsdp2", "tp"])
def test_fp16_is_the_same_however_it_is_spread(workshop: Any, exact: Any, axes: dict[str, int]) -> None:
    where = workshop.spread(1 if axes else 2, "fsdp2", micro=1, **axes)
    stage = workshop.stage(f"fp16-{len(axes)}", where, script=GENTLE, precision=HALF, schedule__total_steps=5).finish()
    assert stage.losses() == pytest.approx(exact.losses(), abs=2e-2)
    assert {row["loss_scale"] for row in stage.metrics()} == {2.0**10}
    assert {row["skipped_steps"] for row in stage.metrics()} == {0}


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_where_one_rank_overflows_all_skip_the_step(workshop: Any, strategy: str) -> None:
    where = workshop.spread(2, strategy, micro=1)
    stage = workshop.stage(f"overflow-{strategy}", where, script=OVERFLOW, precision=HALF, schedule__total_steps=5).finish()
    rows = stage.metrics()
    assert [row["skipped_steps"] for row in rows] == [0, 0, 1, 0, 0]
    assert [row["loss_scale"] for row in rows] == [1024, 1024, 1024, 512, 512]
    assert [row["grad_norm"] is None for row in rows] == [False, False, True, False, False]
    # The schedule waits for the step: the fourth has the rate of the third.
    assert rows[3]["lr"] == rows[2]["lr"]
    newest = stage.folder / "checkpoints" / "step-00000005" / "progress.json"
    assert json.loads(newest.read_text())["loss_scale"] == {"value": 512, "clean_steps": 2}


@pytest.mark.slow
def test_a_resumed_run_goes_on_with_the_scale(workshop: Any) -> None:
    where = workshop.spread(1, "fsdp2", micro=1)
    script = GENTLE
    whole = workshop.stage("fp16-whole", where, script=script, precision=HALF, schedule__total_steps=8).finish()
    part = workshop.stage("fp16-part", where, script=script, precision=HALF, schedule__total_steps=8).finish()
    for folder in sorted((part.folder / "checkpoints").glob("step-00000008")):
        folder.rename(folder.with_suffix(".partial"))
    progress = part.folder / "checkpoints" / "step-00000005" / "progress.json"
    assert json.loads(progress.read_text())["loss_scale"] == {"value": 1024, "clean_steps": 5}
    assert part.finish().losses() == whole.losses()


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise"])
def test_fp8_stays_near_bf16(workshop: Any, recipe: str) -> None:
    where, script = workshop.spread(2, "fsdp2", micro=1), {"before_fit": COUNTED}
    near = workshop.stage(f"beside-{recipe}", where, precision=MIXED, schedule__total_steps=5).finish()
    used = EIGHTH | {"fp8_recipe": recipe}
    stage = workshop.stage(f"fp8-{recipe}", where, script=script, precision=used, schedule__total_steps=5).finish()
    assert stage.losses() == pytest.approx(near.losses(), abs=2e-2)
    # Seven matrices in each of two layers, and not the head.
    assert "14 matrices multiply in fp8" in stage.logs()
    assert all(tensor.dtype == torch.float32 for tensor in stage.weights().values())
    assert set(stage.weights()) == set(near.weights())


COUNTED = """
    import logging
    from torchao.float8.float8_linear import Float8Linear

    found = sum(isinstance(module, Float8Linear) for module in network.module.modules())
    logging.getLogger("test").info("%d matrices multiply in fp8", found)
"""
