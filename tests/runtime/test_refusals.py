"""What cannot run ends with one sentence, exit code 1 and no traceback."""

from __future__ import annotations

import json
import resource
import subprocess
from typing import Any

import pytest

pytestmark = pytest.mark.slow

NAN_IN_STEP_3 = {
    "before_fit": """
    calls = []
    original = causal.loss

    def broken(network, batch):
        if network.module.training:
            calls.append(batch.samples)
        return original(network, batch) * (float("nan") if len(calls) == 9 else 1.0)

    causal.loss = broken
""",
}


def refusal(stage: Any, **extra: str) -> str:
    """The one line that a refused stage says."""
    done: subprocess.CompletedProcess[str] = stage.run(**extra)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return line.removeprefix("error: ")


def test_a_wrong_world_size(workshop: Any) -> None:
    stage = workshop.stage("too-few", workshop.spread(2)).alone()
    assert refusal(stage) == "the plan is for 2 ranks (1 nodes of 2), this launch has 1"


def test_a_gpu_that_is_not_there(workshop: Any) -> None:
    stage = workshop.stage("no-gpu", device="cuda")
    assert refusal(stage, CUDA_VISIBLE_DEVICES="").startswith("this node runs 1 ranks and shows 0 GPUs")


def test_a_plan_from_another_schema(workshop: Any) -> None:
    assert "reads up to 1" in refusal(workshop.stage("newer", schema=2))


def test_data_that_is_not_there_fails_every_rank_with_one_sentence(workshop: Any) -> None:
    stage = workshop.stage("no-data", workshop.spread(2), data__train__path="nowhere/*.txt")
    done = stage.run()
    assert done.returncode == 1
    assert done.stderr.count("error: no file matches `nowhere/*.txt`") == 1
    failure = json.loads((stage.folder / "failure.json").read_text())
    assert failure["rank"] == 0
    assert failure["type"] == "StageError"


def test_a_model_that_is_not_the_one_compiled(workshop: Any) -> None:
    said = refusal(workshop.stage("other-model", model__parameters=5))
    assert said.startswith("the model has 106816 parameters, the plan was compiled for 5")


def test_a_loss_that_is_not_a_number_names_step_and_samples(workshop: Any) -> None:
    stage = workshop.stage("nan", script=NAN_IN_STEP_3)
    assert "the loss is nan in step 3, from the micro-batches of samples " in refusal(stage)
    assert [row["step"] for row in stage.metrics()] == [1, 2]


def test_a_full_disk_is_one_sentence_and_leaves_no_checkpoint(workshop: Any) -> None:
    stage = workshop.stage("full-disk")
    limit = 400_000
    done = subprocess.run(
        stage.command(),
        env=stage.environment(),
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1
    assert "error: cannot write the checkpoint" in done.stderr
    assert "MB are free there" in done.stderr
    assert [path.suffix for path in (stage.folder / "checkpoints").iterdir()] == [".partial"]


def one_sentence(stage: Any, **extra: str) -> str:
    """What the ranks of a group say, whichever of them fails."""
    done: subprocess.CompletedProcess[str] = stage.run(**extra)
    assert done.returncode == 1
    # torchrun adds the stack of its own parent process.
    assert "Traceback" not in done.stderr.partition("torch/distributed/elastic")[0]
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return line.removeprefix("error: ")


def test_a_full_disk_on_one_node_ends_all_ranks_with_one_sentence(workshop: Any) -> None:
    limit = "if run.rank == 1: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))"
    script = {"preamble": "import resource", "before_fit": limit}
    stage = workshop.stage("full-node", workshop.spread(2, "fsdp2"), script=script)
    said = one_sentence(stage)
    assert said.startswith(f"cannot write the checkpoint {stage.folder}/checkpoints/step-00000005: ")
    assert said.endswith("; no checkpoint was written yet")
    assert not stage.events("interrupted")


def test_a_run_folder_that_cannot_be_made_is_one_sentence_of_all_ranks(workshop: Any) -> None:
    stage = workshop.stage("no-folder", workshop.spread(2))
    (workshop.root / "file").write_text("in the way")
    said = one_sentence(stage, TRAINC_RUN_DIR=str(workshop.root / "file" / "run"))
    assert said == f"cannot write into the run folder {workshop.root}/file/run: Not a directory"


def test_a_log_without_room_stops_nothing_and_metrics_without_room_are_a_sentence(workshop: Any) -> None:
    stage = workshop.stage("full-log", schedule__total_steps=2, evaluation=None)
    (stage.folder / "log").mkdir(parents=True)
    full = stage.folder / "log" / "rank-0.log"
    full.write_bytes(b"x" * 2_000_000)

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            stage.command(),
            env=stage.environment(),
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000)),
        )

    done = run()
    assert done.returncode == 0, done.stderr
    assert "Logging error" not in done.stderr
    (stage.folder / "events.jsonl").write_bytes(b"\n" * 2_000_000)
    done = run()
    assert done.returncode == 1
    assert f"error: cannot write {stage.folder}/events.jsonl: File too large" in done.stderr
    assert "Traceback" not in done.stderr


def test_ranks_that_read_other_tokens(workshop: Any) -> None:
    # A cache of a node's own that holds the same corpus cut short.
    preamble = """
import os
import shutil
from trainc.runtime.data import corpus as corpora

opened = corpora._open

def elsewhere(folder, key, index, settings):
    if os.environ["RANK"] == "1":
        own = folder.parent.with_name("other-cache") / key
        shutil.copytree(folder, own)
        (own / "train.bin").write_bytes((folder / "train.bin").read_bytes()[:4096])
        return opened(own, key, index, settings)
    return opened(folder, key, index, settings)

corpora._open = elsewhere
"""
    stage = workshop.stage("other-view", workshop.spread(2), script={"preamble": preamble})
    assert one_sentence(stage).startswith("rank 1 reads 63 training and ")


def test_a_bug_keeps_its_traceback_in_the_log_of_its_rank(workshop: Any) -> None:
    stage = workshop.stage("bug", script={"before_fit": "raise ValueError('a bug')"})
    said = refusal(stage)
    assert said.startswith("rank 0 failed: ValueError: a bug; traceback in ")
    assert "Traceback" in (stage.folder / "log" / "rank-0.log").read_text()
