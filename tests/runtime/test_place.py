"""Ranks take the GPUs there are, and share them where they are fewer."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from trainc.runtime import place, planfile
from trainc.runtime.errors import StageError


@pytest.fixture
def run_plan(plan: dict[str, Any], tmp_path: Path) -> planfile.RunPlan:
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    return planfile.read(tmp_path / "plan.json")


def devices(run_plan: planfile.RunPlan, device: str, gpus: int, ranks: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The devices that the ranks of one node take where torch sees so many GPUs."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    asked = dataclasses.replace(run_plan, device=device)
    return [str(place.choose_device(asked, place.Place(rank, rank, ranks, ranks))) for rank in range(ranks)]


@pytest.mark.parametrize(
    ("device", "gpus", "expected"),
    [
        ("any", 0, ["cpu", "cpu"]),
        ("any", 1, ["cuda:0", "cuda:0"]),
        ("any", 4, ["cuda:0", "cuda:1"]),
        ("cuda", 2, ["cuda:0", "cuda:1"]),
        ("cpu", 2, ["cpu", "cpu"]),
    ],
)
def test_ranks_take_the_gpus_there_are(
    run_plan: planfile.RunPlan, device: str, gpus: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert devices(run_plan, device, gpus, 2, monkeypatch) == expected


def test_a_stage_for_cuda_refuses_to_share(run_plan: planfile.RunPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StageError, match="runs 2 ranks and shows 1 GPUs"):
        devices(run_plan, "cuda", 1, 2, monkeypatch)


def test_a_rank_with_another_bundle_is_refused(tmp_path: Path) -> None:
    plans = [tmp_path / name / "stages" / "10-pretrain" / "plan.json" for name in ("one", "other")]
    for plan in plans:
        plan.parent.mkdir(parents=True)
        plan.write_text("{}")
        # The same plan beside another runtime.
        (plan.parents[2] / "bundle.json").write_text(str(plan))
    store = dist.HashStore()
    store.set("bundle/1", "comes later")
    place.refuse_another_bundle(place.Place(0, 0, 2, 2), store, plans[0])
    place.refuse_another_bundle(place.Place(1, 1, 2, 2), store, plans[0])
    with pytest.raises(StageError, match=r"rank 1 on .* has another bundle than rank 0"):
        place.refuse_another_bundle(place.Place(1, 1, 2, 2), store, plans[1])


def test_a_rank_that_does_not_come_is_named(tmp_path: Path) -> None:
    store = dist.HashStore()
    store.set_timeout(timedelta(seconds=0.3))
    with pytest.raises(StageError, match=r"rank 1, 2 did not come within 0.3 s"):
        place.refuse_another_bundle(place.Place(0, 0, 3, 3), store, tmp_path / "a" / "b" / "plan.json")


@pytest.mark.slow
def test_the_trial_exchange_works_between_ranks_and_fails_without_memory(workshop: Any) -> None:
    trial = {
        "preamble": "import torch\nfrom trainc.runtime import place\n",
        "after_data": 'assert [place.all_ranks_exchange(torch.device(name)) for name in ("cpu", "meta")] == [True, False]',
    }
    workshop.stage("trial", where=workshop.spread(2, "fsdp2"), script=trial).finish()
