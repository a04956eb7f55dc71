"""Bundles whose stages are the small scripts of `fakes`: they write what the runtime writes, and need no torch."""

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

FAKES = Path(__file__).parent / "fakes"
DIRECT = 'exec "$PYTHON" "stages/$1/train.py"'


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def make_bundle(tmp_path: Path) -> Callable[..., Path]:
    """Makes a bundle of stages, each given by the name of its fake: `make_bundle(pretrain="trains_well")`."""

    def make(launcher: str = DIRECT, bundle_hash: str = "0a1b2c3d4e5f", **fakes: str) -> Path:
        bundle = tmp_path / f"bundle-{bundle_hash}"
        stages = [{"name": name, "folder": f"{10 * (index + 1)}-{name}"} for index, name in enumerate(fakes)]
        for stage, fake in zip(stages, fakes.values(), strict=True):
            place = bundle / "stages" / stage["folder"]
            place.mkdir(parents=True)
            shutil.copy(FAKES / "fake_runtime.py", place)
            shutil.copy(FAKES / f"{fake}.py", place / "train.py")
            (place / "plan.json").write_text("{}")
        (bundle / "launch").mkdir()
        (bundle / "launch" / "local.sh").write_text(f"set -eu\n{launcher}\n")
        content = {"pipeline": "quick", "hash": bundle_hash, "stages": stages}
        (bundle / "bundle.json").write_text(json.dumps(content))
        return bundle

    return make


@pytest.fixture
def when_trained(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Sends signals to this very process, one after the other, once a stage below `tmp_path` has logged a step."""
    threads: list[threading.Thread] = []

    def send(*numbers: signal.Signals) -> None:
        for number in numbers:
            wait_for(lambda: any(tmp_path.glob("runs/*/*/*/metrics.jsonl")))
            time.sleep(0.3)
            os.kill(os.getpid(), number)

    def later(*numbers: signal.Signals) -> None:
        threads.append(threading.Thread(target=send, args=numbers))
        threads[-1].start()

    yield later
    for thread in threads:
        thread.join()


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    return wait_for


def wait_for(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    """Waits for a condition, and fails if it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
