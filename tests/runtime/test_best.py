"""A run ends when its evaluations stay without progress, and exports the weights of its best one."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
import torch
from trainc.runtime.checkpoint import Best, Progress

# The rate stays, so that a run of four steps is the beginning of a longer one.
LENGTH = {
    "schedule__floor": 1.0,
    "schedule__total_steps": 12,
    "schedule__warmup_steps": 0,
    "checkpoint": {"every_steps": 2, "keep": 1, "keep_best": True},
}
# What the evaluations say, in their order: that before the first step, then one every second step.
LOSSES = (9.0, 5.0, 4.0, 6.0, 4.0, 8.0, 3.0)
SAYS = f"""
losses = {{step: loss for step, loss in zip(range(0, 14, 2), {LOSSES})}}
trainer.held_out_loss = lambda run, engine, samples, settings: losses[run.watch.step]
"""
SPREADS = {"ddp": {}, "fsdp2": {}, "tp": {"tp": 2}, "pp": {"pp": 2}, "zero2": {}}


def test_only_a_lower_loss_is_progress() -> None:
    progress = Progress(0, 0)
    found = []
    for loss in (float("nan"), 5.0, 5.0, 4.0, float("nan"), 4.5):
        progress = progress.stepped(10).evaluated(loss)
        found.append(progress.without_progress)
    assert found == [1, 0, 1, 0, 1, 2]
    assert progress.best == Best(4, 4.0)
    assert (progress.step, progress.tokens) == (6, 60)
    assert progress.exhausts(2)
    assert not progress.exhausts(3)
    assert not progress.exhausts(None)


def train(workshop: Any, name: str, patience: int | None, where: dict[str, Any] | None = None, **changes: Any) -> Any:
    evaluation = {"every_steps": 2, "batches": 1, "patience": patience}
    return workshop.stage(name, where, {"before_fit": SAYS.replace("\n", "\n    ")}, evaluation=evaluation, **{**LENGTH, **changes})


@pytest.fixture(scope="module")
def expected(workshop: Any) -> dict[str, torch.Tensor]:
    """The weights after four steps of one process."""
    return train(workshop, "reference", None, schedule__total_steps=4).finish().weights()


@pytest.mark.slow
@pytest.mark.parametrize("case", SPREADS)
def test_a_run_out_of_patience_exports_its_best_weights(workshop: Any, expected: dict[str, torch.Tensor], case: str) -> None:
    if case == "zero2":
        pytest.importorskip("deepspeed", reason="deepspeed is not installed")
    axes = SPREADS[case]
    where = workshop.spread(1 if axes else 2, "fsdp2" if axes else case, **axes)
    split = {"mesh__split": [1, 1]} if "pp" in axes else {}
    stage = train(workshop, case, 2, where, **split).finish()
    assert [row["step"] for row in stage.events("stopped early")] == [8]
    assert [(row["step"], row["loss"]) for row in stage.events("best")] == [(4, 4.0)]
    assert sorted(path.name for path in (stage.folder / "checkpoints").iterdir()) == ["step-00000004", "step-00000008"]
    exported = stage.weights()
    assert all(torch.allclose(exported[name], tensor, atol=1e-5) for name, tensor in expected.items())


@pytest.mark.slow
def test_a_resumed_run_goes_on_counting(workshop: Any) -> None:
    whole = train(workshop, "counting", 2).finish()
    stage = whole.copy(workshop.root / "counting-resumed")
    shutil.rmtree(stage.folder / "checkpoints" / "step-00000008")
    stage.finish()
    assert stage.events("resumed")[0]["step"] == 4
    assert stage.events("stopped early")[-1]["step"] == 8
    # Out of patience already: nothing is trained, and what is exported stays.
    again = stage.finish()
    assert again.losses() == whole.losses()
    assert all(torch.equal(tensor, whole.weights()[name]) for name, tensor in again.weights().items())
    # More patience goes on, and finds a better one.
    patient = stage.replan(evaluation__patience=4).finish()
    assert patient.events("best")[-1]["step"] == 12
    assert len(patient.metrics()) == 12
