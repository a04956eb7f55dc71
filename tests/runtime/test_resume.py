"""A run that was cut off goes on as if it had not been."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from trainc.runtime.checkpoint import folders
from transformers import AutoModelForCausalLM, AutoTokenizer

pytestmark = pytest.mark.slow
PATIENCE_SECONDS = 90
LONG = {"schedule__total_steps": 100_000, "evaluation": None}


def wait_for(ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not ready():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def steps_of(stage: Any) -> int:
    return len(stage.metrics()) if (stage.folder / "metrics.jsonl").exists() else 0


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.fixture(scope="module")
def straight(workshop: Any) -> Any:
    """Ten steps without a break, with dropout and a worker, so that generators and data position matter."""
    stage = workshop.stage("straight", workshop.spread(2, "fsdp2"), data__workers=1, model__config__attention_dropout=0.1)
    return stage.finish()


@pytest.fixture(scope="module")
def single(workshop: Any) -> Any:
    """Ten steps of one process."""
    return workshop.stage("single").finish()


def test_a_resumed_run_continues_bit_for_bit_from_the_newest_complete_checkpoint(straight: Any, workshop: Any) -> None:
    resumed = straight.copy(workshop.root / "resumed")
    broken = resumed.folder / "checkpoints" / "step-00000010"
    (broken / "progress.json").write_text("{")
    shutil.rmtree(resumed.folder / "export")
    resumed.finish()
    (event,) = resumed.events("resumed")
    assert event["step"] == 5
    assert event["skipped"] == ["step-00000010"]
    assert "skipped step-00000010" in resumed.logs()
    assert resumed.losses() == straight.losses()
    expected = straight.weights()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in resumed.weights().items())


def test_another_number_of_ranks_continues_closely(single: Any, workshop: Any) -> None:
    second = single.copy(workshop.root / "two-after-one").respread(workshop.spread(2, "fsdp2"))
    shutil.rmtree(second.folder / "checkpoints" / "step-00000010")
    second.finish()
    assert second.events("resumed")[0]["step"] == 5
    assert second.losses() == pytest.approx(single.losses(), abs=1e-6)


@pytest.mark.parametrize("axes", [{"tp": 2, "sequence_parallel": True}, {"cp": 2}], ids=["tp", "cp"])
def test_a_run_that_split_the_model_continues_where_nothing_does(single: Any, workshop: Any, axes: dict[str, Any]) -> None:
    first = workshop.stage(f"split-{next(iter(axes))}", workshop.spread(1, "fsdp2", **axes)).finish()
    second = first.respread(workshop.spread(2, "fsdp2", tp=1, cp=1, sequence_parallel=False))
    shutil.rmtree(second.folder / "checkpoints" / "step-00000010")
    second.finish()
    assert second.events("resumed")[0]["step"] == 5
    assert second.losses() == pytest.approx(single.losses(), abs=1e-5)


def test_a_finished_run_is_left_as_it_is(single: Any, workshop: Any) -> None:
    again = single.copy(workshop.root / "again").finish()
    assert again.losses() == single.losses()
    assert len(again.events("evaluation")) == len(single.events("evaluation"))


def test_the_export_loads_and_generates(straight: Any) -> None:
    folder = straight.folder / "export"
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    prompt = tokenizer("one and two", return_tensors="pt", return_token_type_ids=False)
    made = model.generate(**prompt, max_new_tokens=5, min_new_tokens=5, do_sample=False)
    assert made.shape[1] == prompt["input_ids"].shape[1] + 5
    assert type(model).__name__ == model.config.architectures[0] == "LlamaForCausalLM"


def test_another_plan_cannot_resume(single: Any, workshop: Any) -> None:
    other = single.copy(workshop.root / "other-seed").replan(data__seed=99)
    done = other.run()
    assert done.returncode != 0
    assert "was written by another plan: data seed changed since" in done.stderr


def test_a_resumed_run_trains_with_the_settings_of_its_new_plan(single: Any, workshop: Any) -> None:
    slower = single.copy(workshop.root / "slower").replan(optimizer__lr=3e-4)
    shutil.rmtree(slower.folder / "checkpoints" / "step-00000010")
    slower.finish()
    before, after = ([row["lr"] for row in stage.metrics()] for stage in (single, slower))
    assert after[:5] == before[:5]
    assert after[5:] == pytest.approx([lr / 10 for lr in before[5:]])
    assert slower.losses()[6:] != single.losses()[6:]


def test_sigterm_leaves_a_run_that_resumes(workshop: Any) -> None:
    stage = workshop.stage("terminated", workshop.spread(2), **LONG)
    process = stage.start()
    wait_for(lambda: steps_of(stage) >= 3)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode != 0
    (event,) = stage.events("interrupted")
    newest = folders.find(stage.folder / "checkpoints").newest
    assert newest is not None
    assert newest.name == f"step-{event['step']:08d}"
    assert steps_of(stage) == event["step"]
    stage.replan(schedule__total_steps=event["step"] + 2).finish()
    assert stage.events("resumed")[0]["step"] == event["step"]
    assert [row["step"] for row in stage.metrics()] == list(range(1, event["step"] + 3))


def test_one_process_ends_with_75_when_it_is_interrupted(workshop: Any) -> None:
    stage = workshop.stage("interrupted", **LONG)
    process = stage.start()
    wait_for(lambda: steps_of(stage) >= 1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 75
    assert folders.find(stage.folder / "checkpoints").newest is not None


def test_a_killed_rank_ends_the_run_and_leaves_its_checkpoints(workshop: Any) -> None:
    stage = workshop.stage("killed", workshop.spread(2, "fsdp2"), checkpoint__every_steps=2, **LONG)
    process = stage.start()
    wait_for(lambda: folders.find(stage.folder / "checkpoints").newest is not None)
    victim = children(process.pid)[1]
    os.kill(victim, signal.SIGKILL)
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode not in (0, None)
    assert "Signal 9" in said or "SIGKILL" in said
    assert folders.find(stage.folder / "checkpoints").newest is not None


def test_a_launch_that_must_not_resume_refuses_to_overwrite(single: Any) -> None:
    done: subprocess.CompletedProcess[str] = single.run(TRAINC_RESUME="never")
    assert done.returncode != 0
    assert "TRAINC_RESUME is never" in done.stderr
