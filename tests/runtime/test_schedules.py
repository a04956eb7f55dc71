from __future__ import annotations

import pytest
import torch
from trainc.runtime import optim
from trainc.runtime.planfile import RunSchedule


def rates(schedule: str, **settings: float) -> list[float]:
    """The factor of each step's learning rate."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    values = {"name": schedule, "warmup_steps": 2, "decay_steps": 4, "total_steps": 10, "floor": 0.1, "epochs": None, **settings}
    scheduler = getattr(optim, schedule)(optimizer, RunSchedule(**values))
    found = []
    for _ in range(10):
        found.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return [*found, scheduler.get_last_lr()[0]]


@pytest.mark.parametrize("schedule", ["cosine", "linear", "constant", "wsd"])
def test_warmup_rises_to_the_full_rate_and_moves_in_the_first_step(schedule: str) -> None:
    assert rates(schedule)[:3] == [0.5, 1.0, 1.0]


def test_cosine_is_halfway_between_full_and_floor_in_the_middle() -> None:
    found = rates("cosine")
    assert found[6] == pytest.approx(0.55)
    assert found[10] == pytest.approx(0.1)


def test_linear_falls_evenly_to_the_floor() -> None:
    found = rates("linear")
    assert found[4] - found[5] == pytest.approx(0.9 / 8)
    assert found[10] == pytest.approx(0.1)


def test_constant_stays() -> None:
    assert set(rates("constant")[2:]) == {1.0}


def test_wsd_is_stable_until_its_decay() -> None:
    found = rates("wsd")
    assert found[2:7] == [1.0] * 5
    assert found[8] == pytest.approx(0.55)
    assert found[10] == pytest.approx(0.1)


def test_without_warmup_the_first_step_has_the_full_rate() -> None:
    assert rates("cosine", warmup_steps=0)[0] == 1.0
