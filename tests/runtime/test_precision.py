from __future__ import annotations

from typing import Any

import pytest
import torch
from trainc.runtime.errors import StageError
from trainc.runtime.parallel.ddp import _refuse_unsupported
from trainc.runtime.planfile import RunPrecision

MIXED = {"compute": "bf16", "params": "fp32", "reduce": "fp32"}


@pytest.mark.parametrize(
    ("precision", "reason"),
    [
        (RunPrecision(compute="fp32", params="bf16", reduce="fp32"), "cannot compute in fp32 on bf16 parameters"),
        (RunPrecision(compute="bf16", params="bf16", reduce="fp32"), "reduces gradients in the type of the parameters"),
        (RunPrecision(compute="bf16", params="fp32", reduce="bf16"), "on GPUs only"),
    ],
)
def test_ddp_refuses_what_it_cannot_do(precision: RunPrecision, reason: str) -> None:
    with pytest.raises(StageError, match=reason):
        _refuse_unsupported(precision, torch.device("cpu"))


@pytest.mark.slow
def test_bf16_arithmetic_stays_near_fp32_and_exports_fp32_parameters(workshop: Any) -> None:
    exact = workshop.stage("exact", schedule__total_steps=5).finish()
    for strategy in ("ddp", "fsdp2"):
        where = workshop.spread(1, strategy, micro=2)
        stage = workshop.stage(f"mixed-{strategy}", where, precision=MIXED, schedule__total_steps=5).finish()
        assert stage.losses() == pytest.approx(exact.losses(), abs=2e-2)
        assert stage.losses() != exact.losses()
        assert all(tensor.dtype == torch.float32 for tensor in stage.weights().values())
