"""A run that is measured in epochs has as many steps as its corpus makes, and is then a run like any other."""

from __future__ import annotations

from typing import Any

import pytest
from trainc.runtime.length import in_steps
from trainc.runtime.planfile import RunEpochs, RunExtent, RunSchedule


def schedule(total: Any, warmup: Any, decay: Any) -> RunSchedule:
    """Each length an int of steps, or a value and its unit."""
    steps = [length if isinstance(length, int) else None for length in (warmup, decay, total)]
    declared = [None if isinstance(length, int) else RunExtent(*length) for length in (total, warmup, decay)]
    return RunSchedule("wsd", *steps, floor=0.0, epochs=RunEpochs(*declared))


@pytest.mark.parametrize(
    ("total", "warmup", "decay", "epoch", "expected"),
    [
        ((3.0, "epochs"), 0, 0, 12.5, (38, 0, 0)),
        ((0.5, "epochs"), 0, 0, 0.25, (1, 0, 0)),
        ((2.0, "epochs"), (3.0, "percent"), (0.5, "epochs"), 50.0, (100, 3, 25)),
        ((3.0, "epochs"), (7.0, "percent"), 5, 100.0, (300, 21, 5)),
        (90, (1.0, "epochs"), 0, 12.5, (90, 13, 0)),
    ],
)
def test_what_a_pass_begins_is_counted_whole(
    total: Any, warmup: Any, decay: Any, epoch: float, expected: tuple[int, int, int]
) -> None:
    found = in_steps(schedule(total, warmup, decay), epoch)
    assert (found.total_steps, found.warmup_steps, found.decay_steps) == expected
    assert found.epochs is None


EPOCHS = {"total": {"value": 0.4, "unit": "epochs"}, "warmup": {"value": 25.0, "unit": "percent"}, "decay": None}
IN_EPOCHS = {"schedule__total_steps": None, "schedule__warmup_steps": None, "schedule__epochs": EPOCHS}
# The warmup is 1 epoch of a run of 4 steps.
TOO_LONG = {"schedule__total_steps": 4, "schedule__warmup_steps": None}
TOO_LONG |= {"schedule__epochs": {"total": None, "warmup": {"value": 1.0, "unit": "epochs"}, "decay": None}}


@pytest.mark.slow
def test_a_run_in_epochs_is_the_run_of_so_many_steps(workshop: Any) -> None:
    stage = workshop.stage("epochs", workshop.spread(2, "fsdp2"), evaluation=None, **IN_EPOCHS).finish()
    steps = stage.events("started")[0]["total_steps"]
    assert steps == len(stage.metrics()) > 4
    twin = {"schedule__total_steps": steps, "schedule__warmup_steps": -(-steps // 4)}
    same = workshop.stage("steps", workshop.spread(2, "fsdp2"), evaluation=None, **twin).finish()
    assert stage.losses() == same.losses()
    assert [row["lr"] for row in stage.metrics()] == [row["lr"] for row in same.metrics()]


@pytest.mark.slow
def test_a_longer_run_in_epochs_goes_on_where_a_shorter_one_ended(workshop: Any) -> None:
    stage = workshop.stage("longer", evaluation=None, checkpoint__every_steps=100, **IN_EPOCHS).finish()
    first = len(stage.metrics())
    stage.replan(schedule__epochs__total={"value": 0.6, "unit": "epochs"}).finish()
    assert stage.events("resumed")[0]["step"] == first
    assert first < len(stage.metrics()) == stage.events("started")[1]["total_steps"]


@pytest.mark.slow
def test_a_warmup_that_turns_out_longer_than_the_run_is_one_sentence(workshop: Any) -> None:
    done = workshop.stage("warmup", **TOO_LONG).run()
    assert done.returncode == 1
    assert "the run has 4 steps over this data, fewer than its warmup of" in done.stderr
