"""Writes what the runtime writes, without torch; a bundle of the tests carries a copy beside each train.py."""

import json
import os
import time
from pathlib import Path

FOLDER = Path(os.environ["TRAINC_RUN_DIR"])
RANK = int(os.environ.get("RANK", "0"))
MEMORY = {"terms": {"weights": 2**20, "gradients": 2**21}, "peak_bytes": 3 * 2**20}


def append(name, row):
    with (FOLDER / name).open("a") as file:
        file.write(json.dumps(row) + "\n")


def event(name, **details):
    append("events.jsonl", {"time": time.time(), "event": name, **details})


def step(number, loss):
    row = {"step": number, "tokens": 4096 * number, "loss": loss, "lr": 1e-3, "grad_norm": 1.0}
    speed = {"tokens_per_second": 10000.0, "peak_memory_bytes": 600 * 2**20, "step_time_seconds": 0.4}
    append("metrics.jsonl", {**row, **speed})


def checkpoint():
    (FOLDER / "checkpoints" / "step-1").mkdir(parents=True, exist_ok=True)


def rank_log(text):
    (FOLDER / "log" / f"rank-{RANK}.log").write_text(text)


def begin():
    (FOLDER / "plan.json").write_text(json.dumps({"memory": MEMORY}))
    event("started", world_size=2, device="cpu", total_steps=4, parameters=1000)
    if os.environ["TRAINC_RESUME"] == "auto" and (FOLDER / "checkpoints").exists():
        event("resumed", step=1, checkpoint="step-1", skipped=[])
