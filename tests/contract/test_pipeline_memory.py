"""The planner's peak of a pipeline's heaviest rank against the tensors of real steps on two ranks."""

import json
import os
from pathlib import Path

import pytest
import warm

ROOT = Path(__file__).resolve().parents[2]
GROUPS = {"gpipe": 1, "one_f_one_b": 1, "interleaved": 2, "zero_bubble": 2, "zbv": 2, "dualpipe_v": 2}


@pytest.mark.slow
def test_the_heaviest_rank_is_planned_within_15_percent():
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".src"), "OMP_NUM_THREADS": "1"}
    result = warm.run(ROOT / "benchmarks/traced_pipeline.py", 2, environment, 300, (json.dumps(list(GROUPS.items())),))
    assert result.returncode == 0, result.stderr
    for name, (planned, traced) in zip(GROUPS, json.loads(result.stdout.splitlines()[-1]), strict=True):
        assert planned == pytest.approx(traced, rel=0.15), name
