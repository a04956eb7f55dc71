"""Every optimizer steps as one process does, however the model is spread, and goes on exactly from a checkpoint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import PLAN, SOURCES, changed, spread

pytestmark = pytest.mark.slow

ADAM = {"betas": [0.9, 0.95], "eps": 1e-8}
OPTIMIZERS: dict[str, dict[str, Any]] = {
    "adamw": {"lr": 3e-3, **ADAM},
    "adamw8bit": {"lr": 3e-3, **ADAM},
    "adafactor": {"lr": 3e-2, "decay_rate": 0.8, "clip_threshold": 1.0, "least_scale": 1e-3},
    "lion": {"lr": 1e-3, "betas": [0.9, 0.99]},
    "muon": {
        "lr": 1e-2,
        "momentum": 0.95,
        "nesterov": True,
        "ns_steps": 5,
        "adjust_lr": "match_rms_adamw",
        "adamw_lr": 3e-3,
        **ADAM,
    },
    "sgd": {"lr": 0.3, "momentum": 0.9, "nesterov": True},
}
LAYOUTS: dict[int, dict[str, dict[str, Any]]] = {
    1: {"one": spread(1, micro=2)},
    2: {
        "ddp": spread(2),
        "fsdp2": spread(2, "fsdp2"),
        "tp": spread(1, "fsdp2", tp=2),
        "pp": {**spread(1, "fsdp2", pp=2), "mesh.split": [1, 1]},
    },
    4: {"fsdp2 x tp": spread(2, "fsdp2", tp=2)},
}
GROUPS = [{"part": "embedding", "lr": 1e-3, "weight_decay": None}, {"part": "attention", "lr": None, "weight_decay": 0.0}]
EMPTY = dict.fromkeys(PLAN["optimizer"], None) | {"weight_decay": 0.1, "groups": GROUPS}
# Which moments are small enough to stay whole depends on the number of ranks, and a sign may turn at a rounding.
TOLERANCES = {"adamw8bit": 2e-2, "lion": 1e-4}


def measure(ranks: int, root: Path) -> dict[str, dict[str, Any]]:
    names = []
    for layout, where in LAYOUTS[ranks].items():
        for name, settings in OPTIMIZERS.items():
            names.append(f"{name}, {layout}")
            plan = changed(PLAN, {**where, "clip": 1.0, "optimizer": {**EMPTY, "name": name, **settings}})
            (root / names[-1]).write_text(json.dumps(plan))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    script = str(Path(__file__).with_name("optimizers_over_ranks.py"))
    environment = os.environ | {"PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"}
    launched = [*command, script, str(root), json.dumps(names)]
    done = subprocess.run(launched, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-6000:]
    found: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module", params=[2, 4])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return measure(1, tmp_path_factory.mktemp("one")), measure(request.param, tmp_path_factory.mktemp("many"))


def test_x(pair: Any) -> None:
    one, many = pair
    for name, result in {**one, **many}.items():
        reference = one[f"{name.partition(',')[0]}, one"]["losses"]
        difference = max(abs(a - b) for a, b in zip(result["losses"], reference, strict=True))
        print(
            name,
            difference,
            result["losses"][0],
            result["losses"][-1],
            result["resumed"] == result["losses"][3:],
            result["bytes"],
            result["rates"],
        )
