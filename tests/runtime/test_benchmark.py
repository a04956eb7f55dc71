"""The loops that `make bench-runtime` compares train alike, so that their speeds can be compared."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks" / "runtime"))

from compare import BY_HAND, LOOPS, OURS, compare
from setting import Setting

pytestmark = pytest.mark.slow

# Two rounds of one step, and the step that ends them.
ROUNDS, BLOCK, STEPS = 1, 1, 3


def losses(setting: Setting, loops: tuple[str, ...], folder: Path) -> dict[str, list[float]]:
    return {name: found.losses for name, found in compare(setting, loops, ROUNDS, BLOCK, folder).items()}


@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_the_loop_by_hand_trains_as_ours(tmp_path: Path, strategy: str) -> None:
    setting = Setting("tiny", 2, strategy=strategy, accumulation=2, logged=1)
    found = losses(setting, (BY_HAND, OURS), tmp_path)
    assert len(found[OURS]) == STEPS
    assert found[BY_HAND] == pytest.approx(found[OURS], abs=1e-5)


def test_all_loops_train_alike(tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="`make bench-runtime` installs it")
    found = losses(Setting("tiny", 1, accumulation=2, logged=1), LOOPS, tmp_path)
    assert found[OURS][0] - found[OURS][-1] > 1e-3
    for name in LOOPS:
        assert found[name] == pytest.approx(found[OURS], abs=1e-4), name
