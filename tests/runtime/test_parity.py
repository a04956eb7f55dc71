"""The same training, however it is spread: losses, gradient norms and held-out losses of one process."""

from __future__ import annotations

from typing import Any

import pytest
from uneven import UNEVEN

LENGTH = {"schedule__total_steps": 20, "evaluation": {"every_steps": 10, "batches": 3, "patience": None}}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reference(workshop: Any) -> Any:
    return workshop.stage("reference", workshop.spread(1, micro=2), script=UNEVEN, **LENGTH).finish()


@pytest.mark.parametrize(
    ("name", "ranks", "strategy", "replicate", "micro", "recompute"),
    [
        ("ddp-2", 2, "ddp", None, 2, "none"),
        ("fsdp2-2", 2, "fsdp2", None, 1, "full"),
        ("fsdp2-2-selective", 2, "fsdp2", None, 2, "selective"),
        ("fsdp2-4", 4, "fsdp2", None, 1, "none"),
        ("hsdp-2x2", 4, "fsdp2", 2, 1, "none"),
    ],
)
def test_a_spread_run_equals_the_run_of_one_process(
    workshop: Any, reference: Any, name: str, ranks: int, strategy: str, replicate: int | None, micro: int, recompute: str
) -> None:
    where = workshop.spread(ranks, strategy, replicate, micro)
    stage = workshop.stage(name, where, script=UNEVEN, recompute=recompute, **LENGTH).finish()
    assert len(stage.losses()) == 20
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    norms, expected = ([row["grad_norm"] for row in run.metrics()] for run in (stage, reference))
    assert norms == pytest.approx(expected, abs=1e-4)
    held, expected = ([row["loss"] for row in run.events("evaluation")] for run in (stage, reference))
    assert len(held) == 3
    assert held == pytest.approx(expected, abs=1e-5)


def test_gradients_may_be_reduced_after_each_micro_batch(workshop: Any, reference: Any) -> None:
    where = workshop.spread(2, "fsdp2", micro=1) | {"strategy.sync_each_batch": True}
    stage = workshop.stage("each", where, script=UNEVEN, **LENGTH).finish()
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    norms, expected = ([row["grad_norm"] for row in run.metrics()] for run in (stage, reference))
    assert norms == pytest.approx(expected, abs=1e-4)


def test_micro_batches_change_nothing(workshop: Any, reference: Any) -> None:
    stage = workshop.stage("whole", workshop.spread(1, micro=8), script=UNEVEN, **LENGTH).finish()
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)


def test_training_learns(reference: Any) -> None:
    held = [row["loss"] for row in reference.events("evaluation")]
    assert held[-1] < 0.75 * held[0]
