"""torch's profiler traces the chosen steps on every rank."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

pytestmark = pytest.mark.slow


def test_each_rank_writes_a_trace_of_the_chosen_steps(workshop: Any) -> None:
    where = workshop.spread(2, micro=4)
    chosen = {"logging__profile": {"step": 3, "count": 2}, "schedule__total_steps": 5, "evaluation": None}
    stage = workshop.stage("profiled", where=where, **chosen).finish()
    (event,) = stage.events("profiled")
    assert (event["first_step"], event["last_step"], event["path"]) == (3, 4, "profile")
    for rank in range(2):
        with gzip.open(stage.folder / "profile" / f"rank-{rank}.json.gz", "rt") as stream:
            names = [entry.get("name", "") for entry in json.load(stream)["traceEvents"]]
        # Two layers' attentions a step, and one update.
        assert names.count("aten::scaled_dot_product_attention") == 4
        assert sum(name.startswith("Optimizer.step") for name in names) == 2
