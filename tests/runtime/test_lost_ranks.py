"""A rank that hangs, dies or freezes: the others say which one it is, and the run can be resumed."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from trainc.runtime.blame import Answer, name_the_cause
from trainc.runtime.checkpoint import folders
from trainc.runtime.errors import Interrupted

PATIENCE_SECONDS = 90

# Rank 1 stops in step 4; the others never get its gradients.
STOPS = """
    calls = []
    original = causal.loss

    def stops(network, batch):
        calls.append(batch.samples)
        if run.rank == 1 and len(calls) == 4:
            {act}
        return original(network, batch)

    causal.loss = stops
"""


def stopping(workshop: Any, name: str, act: str, ranks: int = 3, **changes: Any) -> Any:
    where = {**workshop.spread(ranks), "batch.accumulation": 1, "batch.global_size": ranks}
    script = {"preamble": "import os\nimport signal\nimport time\n", "before_fit": STOPS.format(act=act)}
    return workshop.stage(name, where=where, script=script, evaluation=None, checkpoint__every_steps=2, **changes)


def said(done: subprocess.CompletedProcess[str]) -> str:
    """The only sentence of the ranks."""
    assert done.returncode == 1
    # torchrun adds the stack of its own parent process.
    assert "Traceback" not in done.stderr.partition("torch/distributed/elastic")[0]
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return line.removeprefix("error: ")


def answer(step: int, waits_in: str | None = None, **changes: Any) -> Answer:
    values: dict[str, Any] = {"phase": "update", "place": "train.py:5 in main", "interrupted": False, "answers": True, **changes}
    return Answer(step=step, waits_in=waits_in, waited_seconds=61.0 if waits_in else 0.0, **values)


def test_the_rank_that_waits_for_nobody_is_the_one_that_hangs() -> None:
    answers = {0: answer(42, "all_reduce"), 1: answer(42, "all_reduce"), 2: answer(41), 3: answer(42, "broadcast")}
    assert str(name_the_cause(answers, hangs=True)) == (
        "hanging: rank 2 in step 41 (update) at train.py:5 in main; ranks 0, 1, 3 waited 61 s in all_reduce, broadcast"
    )


def test_ranks_in_different_collectives_are_told_apart() -> None:
    answers = {0: answer(3, "all_reduce"), 1: answer(3, "broadcast")}
    assert str(name_the_cause(answers, hangs=True)) == (
        "every rank waits for another since 61 s: rank 0 in step 3 (update) in all_reduce; rank 1 in step 3 (update) in broadcast"
    )


def test_a_silent_rank_is_lost_wherever_the_others_are() -> None:
    answers = {0: answer(7), 1: answer(6, answers=False), 2: answer(0, answers=False, phase="start")}
    assert str(name_the_cause(answers, hangs=False)) == "lost rank 1 last seen in step 6 (update); rank 2 last seen in start"


def test_a_rank_that_was_asked_to_stop_is_no_failure() -> None:
    assert isinstance(name_the_cause({0: answer(7), 1: answer(7, interrupted=True)}, hangs=False), Interrupted)


def test_an_error_while_all_ranks_answer_blames_nobody() -> None:
    assert name_the_cause({0: answer(7), 1: answer(7)}, hangs=False) is None


@pytest.mark.slow
def test_a_hanging_rank_is_named_with_its_step_and_line(workshop: Any) -> None:
    stage = stopping(workshop, "hangs", "time.sleep(600)", timeout_seconds=6)
    line = said(stage.launch())
    assert line.startswith("hanging: rank 1 in step 4 (forward and backward) at train.py:")
    assert "in stops; ranks 0, 2 waited " in line
    assert line.endswith(f"to resume: {stage.folder}/checkpoints/step-00000002")
    assert "time.sleep(600)" in (stage.folder / "log" / "rank-1.log").read_text()
    flight = [pickle.loads((stage.folder / "flight" / f"rank-{rank}").read_bytes()) for rank in range(3)]
    ended = [sum(not entry["retired"] for entry in dump["entries"]) for dump in flight]
    assert ended[1] == 0 < min(ended[0], ended[2])
    stage.replan(timeout_seconds=60, schedule__total_steps=3).respread({}).finish()
    assert stage.events("resumed")[0]["step"] == 2


@pytest.mark.slow
@pytest.mark.parametrize(("number", "ranks"), [("SIGKILL", 3), ("SIGSTOP", 2)])
def test_a_rank_that_is_gone_is_named_with_its_step(workshop: Any, number: str, ranks: int) -> None:
    act = f"time.sleep(1.8); os.kill(os.getpid(), signal.{number})"
    stage = stopping(workshop, f"gone-{number}", act, ranks, timeout_seconds=6)
    process = stage.start()
    assert process.stderr is not None
    line = next((line for line in process.stderr if line.startswith("error: ")), "nothing")
    for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split() if number == "SIGSTOP" else []:
        os.kill(int(child), signal.SIGCONT)
    rest = process.communicate(timeout=PATIENCE_SECONDS)[1]
    assert process.returncode == 1
    assert line.startswith("error: lost rank 1 last seen in step 4 (forward and backward); to resume: ")
    assert "\nerror: " not in rest
    failure = json.loads((stage.folder / "failure.json").read_text())
    assert failure["type"] == "StageError"
    assert failure["rank"] in (0, 2)
    assert folders.find(stage.folder / "checkpoints").newest.name == "step-00000002"


@pytest.mark.slow
def test_a_stop_of_one_rank_stops_all_after_the_same_step(workshop: Any) -> None:
    stage = stopping(workshop, "one-stops", "os.kill(os.getpid(), signal.SIGTERM)", ranks=2)
    done = stage.launch()
    assert done.returncode == 1
    assert "error: " not in done.stderr
    assert stage.events("interrupted")[0]["step"] == 4
    assert folders.find(stage.folder / "checkpoints").newest.name == "step-00000004"
    assert "exitcode  : 75" in done.stderr
