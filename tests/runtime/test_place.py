"""Ranks take the GPUs there are, and share them where they are fewer."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch
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


@pytest.mark.slow
def test_the_trial_exchange_works_between_ranks_and_fails_without_memory(workshop: Any) -> None:
    trial = {
        "preamble": "import torch\nfrom trainc.runtime import place\n",
        "after_data": 'assert [place.all_ranks_exchange(torch.device(name)) for name in ("cpu", "meta")] == [True, False]',
    }
    workshop.stage("trial", where=workshop.spread(2, "fsdp2"), script=trial).finish()
