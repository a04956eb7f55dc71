"""The same training whatever ranks hold the layers, with an embedding that is the head as well; resumed, and exported."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
import torch
from uneven import UNEVEN

pytestmark = pytest.mark.slow

LENGTH = {
    "schedule__total_steps": 6,
    "evaluation": {"every_steps": 3, "batches": 2, "patience": None},
    "checkpoint__every_steps": 3,
}
LAYERS = {"model__config__num_hidden_layers": 4, "model__parameters": 180_800, "mesh__split": [4]}
V = {"virtual_stages": 2, "split": [1, 1, 1, 1]}

# Data-parallel ranks, micro-batch, the rest of the mesh, other changes; embedding and head are one matrix. The parity matrix has
# every schedule and axis with a head of its own.
RUNS: dict[str, tuple[int, int, dict[str, Any], dict[str, Any]]] = {
    "gpipe, sharded": (2, 2, {"schedule": "gpipe", "split": [3, 1]}, {}),
    "1f1b, tensor and sequence parallel": (1, 2, {"split": [2, 2], "tp": 2, "sequence_parallel": True}, {"recompute": "full"}),
    "zbv, sharded": (2, 1, {"schedule": "zbv", **V}, {"strategy__reshard_after_forward": False}),
}


@pytest.fixture(scope="module")
def reference(workshop: Any) -> Any:
    return workshop.stage("reference", workshop.spread(1, micro=2), script=UNEVEN, **LAYERS, **LENGTH).finish()


def spread_out(workshop: Any, name: str) -> Any:
    ranks, micro, mesh, changes = RUNS[name]
    where = workshop.spread(ranks, "fsdp2", None, micro, pp=2, **mesh)
    layers = {path: value for path, value in LAYERS.items() if path != "mesh__split"}
    return workshop.stage(name.replace(" ", "-"), where, script=UNEVEN, **layers, **LENGTH, **changes)


@pytest.fixture(scope="module")
def sharded(workshop: Any) -> Any:
    return spread_out(workshop, "gpipe, sharded").finish()


def same(stage: Any, reference: Any) -> None:
    assert len(stage.losses()) == 6
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    norms, expected = ([row["grad_norm"] for row in run.metrics()] for run in (stage, reference))
    assert norms == pytest.approx(expected, abs=1e-4)
    # A resumed run evaluates again what came after its checkpoint.
    held, expected = ({row["step"]: row["loss"] for row in run.events("evaluation")} for run in (stage, reference))
    assert held.keys() == {0, 3, 6}
    assert held == pytest.approx(expected, abs=1e-5)
    weights, wanted = stage.weights(), reference.weights()
    assert weights.keys() == wanted.keys()
    assert all(torch.allclose(tensor, wanted[name], atol=1e-4) for name, tensor in weights.items())


def test_gpipe_with_sharded_parts_of_unequal_size(sharded: Any, reference: Any) -> None:
    same(sharded, reference)


@pytest.mark.parametrize("name", [name for name in RUNS if name != "gpipe, sharded"])
def test_a_pipeline_equals_the_run_of_one_process(workshop: Any, reference: Any, name: str) -> None:
    same(spread_out(workshop, name).finish(), reference)


def resumed(stage: Any, root: Any, where: dict[str, Any] | None = None) -> Any:
    again = stage.copy(root)
    shutil.rmtree(again.folder / "checkpoints" / "step-00000006")
    again = again.respread(where, UNEVEN) if where else again
    again.finish()
    assert again.events("resumed")[0]["step"] == 3
    return again


def test_a_pipeline_resumes_bit_for_bit(sharded: Any, workshop: Any) -> None:
    again = resumed(sharded, workshop.root / "same")
    assert again.losses() == sharded.losses()
    assert all(torch.equal(tensor, sharded.weights()[name]) for name, tensor in again.weights().items())


def test_a_pipeline_resumes_without_one(sharded: Any, reference: Any, workshop: Any) -> None:
    same(resumed(sharded, workshop.root / "without", {**workshop.spread(1, "fsdp2", micro=2, pp=1), "mesh.split": [4]}), reference)


def test_a_run_without_pipeline_resumes_in_one(reference: Any, workshop: Any) -> None:
    where = workshop.spread(1, "fsdp2", None, 2, pp=2, schedule="zbv", **V)
    same(resumed(reference, workshop.root / "within", {**where, "strategy.reshard_after_forward": False}), reference)
