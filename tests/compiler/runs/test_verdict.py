"""Which rank is blamed, and what for."""

import json
from pathlib import Path

import pytest
from trainc.compiler.runs.verdict import RankExit, find_failure, first_to_fail

BLOCK = """\
[{index}]:
  time      : 2026-11-30_05:57:58
  host      : localhost
  rank      : {rank} (local_rank: {rank})
  exitcode  : {exit} (pid: 4770) {name}
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 4770
"""


def torchrun_says(*, root: tuple[int, int], others: tuple[tuple[int, int], ...] = ()) -> bytes:
    """torchrun's report for ranks and exit codes, in its own layout."""
    report = [
        "last words of a rank\n",
        "W1130 05:57:58.564 4764 torch/distributed/elastic/multiprocessing/api.py:1028] x\n",
    ]
    report += ["=====\n/x/train.py FAILED\n-----\nFailures:\n"]
    report += [BLOCK.format(index=1, rank=rank, exit=code, name="") for rank, code in others]
    report += ["-----\nRoot Cause (first observed failure):\n"]
    report += [BLOCK.format(index=0, rank=root[0], exit=root[1], name="")]
    return "".join(report).encode()


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    (tmp_path / "log").mkdir()
    return tmp_path


def say_failure(stage: Path, rank: int) -> None:
    (stage / "failure.json").write_text(json.dumps({"rank": rank, "type": "RuntimeError", "message": "peer closed"}))


def test_the_root_cause_is_torchruns() -> None:
    output = torchrun_says(root=(1, -9), others=((0, -15),))
    assert first_to_fail(output) == RankExit(1, -9)


def test_a_signal_weighs_more_than_an_exit_code_seen_at_the_same_look() -> None:
    output = torchrun_says(root=(0, 1), others=((1, -11),))
    assert first_to_fail(output) == RankExit(1, -11)


def test_ranks_that_torchrun_ended_are_not_blamed() -> None:
    output = torchrun_says(root=(0, 1), others=((1, -15),))
    assert first_to_fail(output) == RankExit(0, 1)


def test_output_without_a_report_blames_nobody() -> None:
    assert first_to_fail(b"rank      : 3\nsome error\n") is None


def test_a_killed_rank_is_blamed_although_another_left_a_word(stage: Path) -> None:
    say_failure(stage, rank=0)
    failure = find_failure(stage, torchrun_says(root=(1, -9), others=((0, 1),)), 1)
    assert failure.rank == 1
    assert failure.reason.startswith("rank 1 was ended by SIGKILL")


def test_what_the_others_know_of_a_killed_rank_stands_beside_its_signal(stage: Path) -> None:
    (stage / "failure.json").write_text(json.dumps({"rank": 0, "type": "StageError", "message": "lost rank 1"}))
    failure = find_failure(stage, torchrun_says(root=(1, -9), others=((0, 1),)), 1)
    assert failure.reason == "rank 1 was ended by SIGKILL (the kernel does this when memory runs out): lost rank 1"


def test_the_word_of_the_rank_says_more_than_its_exit_code(stage: Path) -> None:
    say_failure(stage, rank=1)
    failure = find_failure(stage, torchrun_says(root=(1, 1), others=((0, -15),)), 1)
    assert failure.reason == "rank 1: RuntimeError: peer closed"


def test_a_sentence_of_the_runtime_is_told_as_it_is(stage: Path) -> None:
    said = {"rank": 0, "type": "StageError", "message": "no file matches `data/*.txt`"}
    (stage / "failure.json").write_text(json.dumps(said))
    assert find_failure(stage, torchrun_says(root=(0, 1)), 1).reason == "rank 0: no file matches `data/*.txt`"


def test_an_exit_code_is_told_where_there_is_nothing_else(stage: Path) -> None:
    assert find_failure(stage, torchrun_says(root=(2, 7)), 1).reason == "rank 2 ended with exit code 7"


def test_the_ranks_own_log_is_shown_by_its_end(stage: Path) -> None:
    log = stage / "log" / "rank-1.log"
    log.write_text("".join(f"line {index}\n" for index in range(100)))
    failure = find_failure(stage, torchrun_says(root=(1, -9)), 1)
    assert failure.log == log
    assert failure.last_lines[-1] == "line 99"
    assert len(failure.last_lines) == 12


def test_without_a_ranks_log_the_launchers_is_shown_up_to_torchruns_part(stage: Path) -> None:
    failure = find_failure(stage, torchrun_says(root=(1, 1)), 1)
    assert failure.log == stage / "log" / "launcher.log"
    assert failure.last_lines == ("last words of a rank",)


@pytest.mark.parametrize(
    ("exit_code", "reason"),
    [
        (0, "it ended without finishing its steps"),
        (-9, "the launcher was ended by signal 9"),
        (2, "the launcher ended with exit code 2"),
    ],
)
def test_a_launcher_that_names_no_rank(stage: Path, exit_code: int, reason: str) -> None:
    failure = find_failure(stage, b"address already in use\n", exit_code)
    assert (failure.rank, failure.reason) == (None, reason)
    assert failure.last_lines == ("address already in use",)
