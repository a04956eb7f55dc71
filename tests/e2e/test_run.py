"""The whole road on small models: a spec is compiled, launched with torchrun, followed, exported and reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SPEC = """
import std.gpus
import std.models.tiny

cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair    { cluster = here, dp_shard = 2 }
model small = tiny.llama_1m { architecture { hidden = 64, layers = 2, ffn = 128, vocab = 512 } }
param length: extent = 12 steps

stage first {
  model     = small
  data      { train = text { path = "corpus/*.txt" }, holdout = 10%, sequence = 64 }
  mesh      = pair
  precision { compute = fp32 }
  batch     { global = 8, micro = 2 }
  optimizer = adamw { lr = 5e-3 }
  schedule  = cosine { warmup = 10% }
  duration  = length
  eval       { every = 6 steps, batches = 2 }
  checkpoint { every = 5 steps }
}

stage second = first {
  model    = first.model
  strategy = fsdp2 { reshard_after_forward = false }
  recompute = full
}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    for number in range(40):
        lines = [f"def function_{number}_{line}(x): return x + {line * number}" for line in range(60)]
        (tmp_path / "corpus" / f"{number:02}.txt").write_text("\n".join(lines))
    path = tmp_path / "small.train"
    path.write_text(SPEC)
    return path


def start(spec: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts `trainc run` as a user does, with caches of its own."""
    program = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"
    command = [sys.executable, "-c", program, "run", str(spec), "--runs", str(spec.parent / "runs"), *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": str(spec.parent / "cache")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def rows(stage: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (stage / name).read_text().splitlines()]


def run_folder(spec: Path) -> Path:
    (folder,) = [entry for entry in (spec.parent / "runs" / "small").iterdir() if entry.name != "bundles"]
    return folder


def test_two_stages_train_one_after_the_other_and_the_export_writes_on(spec: Path) -> None:
    process = start(spec)
    output, progress = process.communicate(timeout=300)
    assert process.returncode == 0, progress
    folder = run_folder(spec)
    first = [row["loss"] for row in rows(folder / "first", "events.jsonl") if row["event"] == "evaluation"]
    second = [row["loss"] for row in rows(folder / "second", "events.jsonl") if row["event"] == "evaluation"]
    assert first[-1] < first[0] - 0.5
    # The second stage begins with what the first exported.
    assert second[0] == pytest.approx(first[-1], abs=1e-4)
    assert [row["step"] for row in rows(folder / "second", "metrics.jsonl")] == list(range(1, 13))
    assert (folder / "report" / "loss.png").stat().st_size > 1000
    assert "held-out loss" in output
    assert_completes(folder / "second" / "export")


def assert_completes(export: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(export), AutoTokenizer.from_pretrained(export)
    prompt = tokenizer("def function_", return_tensors="pt")
    completed = tokenizer.decode(model.generate(**prompt, max_new_tokens=8, do_sample=False)[0])
    assert completed.startswith("def function_")
    assert len(completed) > len("def function_")


def test_an_interrupted_run_continues_as_if_it_had_not_been(spec: Path) -> None:
    process = start(spec, "--set", "length=60steps", "--stage", "first")
    wait_for_step(spec, process, 4)
    process.send_signal(signal.SIGINT)
    _, progress = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "--resume" in progress
    stopped = rows(run_folder(spec) / "first", "metrics.jsonl")[-1]["step"]
    assert stopped < 60
    again = start(spec, "--set", "length=60steps", "--stage", "first", "--resume")
    _, progress = again.communicate(timeout=300)
    assert again.returncode == 0, progress
    stage = run_folder(spec) / "first"
    assert [row["step"] for row in rows(stage, "metrics.jsonl")] == list(range(1, 61))
    assert [row["step"] for row in rows(stage, "events.jsonl") if row["event"] == "resumed"] == [stopped]


def test_a_run_goes_on_with_a_changed_spec_that_diff_calls_resumable(spec: Path) -> None:
    process = start(spec, "--stage", "first")
    _, progress = process.communicate(timeout=300)
    assert process.returncode == 0, progress
    stage = run_folder(spec) / "first"
    (bundle,) = (spec.parent / "runs" / "small" / "bundles").iterdir()
    spec.write_text(SPEC.replace("lr = 5e-3", "lr = 1e-3").replace("= 12 steps", "= 15 steps"))
    compared = trainc("diff", str(bundle), str(spec), "--format", "json")
    assert json.loads(compared.stdout)["effect"] == "resume-safe"
    assert trainc("compile", str(spec), "-o", str(spec.parent / "changed")).returncode == 0
    settings = {"TRAINC_RUN_DIR": str(stage), "TRAINC_DATA_ROOT": str(spec.parent), "PYTHON": sys.executable}
    command = ["bash", str(spec.parent / "changed" / "launch" / "local.sh"), "10-first"]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    metrics = rows(stage, "metrics.jsonl")
    assert [row["step"] for row in metrics] == list(range(1, 16))
    assert metrics[12]["lr"] < 1e-3
    assert [row["step"] for row in rows(stage, "events.jsonl") if row["event"] == "resumed"] == [12]


def trainc(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)


def wait_for_step(spec: Path, process: subprocess.Popen[str], step: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        files = list((spec.parent / "runs").glob("small/*/first/metrics.jsonl"))
        if files and files[0].read_text().count("\n") >= step:
            return
        time.sleep(0.1)
    pytest.fail("the run did not come to train")
