"""Bundles whose stages are small scripts: they write what the runtime writes, and need no torch."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

PRELUDE = """
import json, os, signal, sys, time
from pathlib import Path

folder = Path(os.environ["TRAINC_RUN_DIR"])
resume = os.environ["TRAINC_RESUME"]

def append(name, row):
    with (folder / name).open("a") as file:
        file.write(json.dumps(row) + "\\n")

def event(name, **details):
    append("events.jsonl", {"time": time.time(), "event": name, **details})

def step(number, loss):
    append("metrics.jsonl", {
        "step": number, "tokens": 4096 * number, "loss": loss, "lr": 1e-3, "grad_norm": 1.0, "tokens_per_second": 10000.0,
        "peak_memory_bytes": 600 * 2**20, "step_time_seconds": 0.4,
    })

def checkpoint():
    (folder / "checkpoints" / "step-1").mkdir(parents=True, exist_ok=True)

(folder / "plan.json").write_text(json.dumps({"memory": {"terms": {"weights": 2**20, "gradients": 2**21}, "peak_bytes": 3 * 2**20}}))
event("started" if resume == "never" else "resumed", world_size=2, device="cpu", total_steps=4, parameters=1000)
"""

TRAINS_WELL = """
for number in range(1, 5):
    step(number, 8.0 / number)
    event("evaluation", step=number, loss=9.0 / number)
checkpoint()
(folder / "export").mkdir()
event("exported")
event("finished")
"""

SAVES_WHEN_ASKED = """
def leave(*_):
    checkpoint()
    event("interrupted", step=1)
    sys.exit(75)

signal.signal(signal.SIGTERM, leave)
step(1, 8.0)
while True:
    time.sleep(0.05)
"""

MakeBundle = Callable[..., Path]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def make_bundle(tmp_path: Path) -> MakeBundle:
    """Makes a bundle of stages, each given as the body of its train.py."""

    def make(launcher: str = 'exec "$PYTHON" "stages/$1/train.py"', **bodies: str) -> Path:
        bundle = tmp_path / "bundle"
        stages = [{"name": name, "folder": f"{10 * (index + 1)}-{name}"} for index, name in enumerate(bodies)]
        for stage, body in zip(stages, bodies.values(), strict=True):
            place = bundle / "stages" / stage["folder"]
            place.mkdir(parents=True)
            (place / "train.py").write_text(PRELUDE + body)
            (place / "plan.json").write_text("{}")
        (bundle / "launch").mkdir()
        (bundle / "launch" / "local.sh").write_text(f"set -eu\n{launcher}\n")
        content = {"pipeline": "quick", "hash": "0a1b2c3d4e5f", "stages": stages}
        (bundle / "bundle.json").write_text(json.dumps(content))
        return bundle

    return make
