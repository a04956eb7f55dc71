"""Gradients travel once a step, however many micro-batches it has: shown by counting."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.slow

STEPS = 3

# Every collective of torch's dispatcher, by its name.
COUNT_ALL = {
    "preamble": """
import atexit
import collections
import json

from torch.utils._python_dispatch import TorchDispatchMode

counted = collections.Counter()


class Counting(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "c10d":
            counted[func.__name__] += 1
        return func(*args, **(kwargs or {}))


""",
    "before_fit": """
    Counting().__enter__()
    found = run.folder.root / "counts.json"
    atexit.register(lambda: found.write_text(json.dumps(counted)))
""".strip(),
}
# DDP's own are made below the dispatcher: each bucket passes the hook instead.
COUNT_BUCKETS = {
    "preamble": "import atexit\nfrom torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook\n",
    "before_fit": """
    buckets = []
    def hook(state, bucket):
        buckets.append(bucket.index())
        return allreduce_hook(state, bucket)
    network.module.register_comm_hook(None, hook)
    found = run.folder.root / "counts.json"
    atexit.register(lambda: found.write_text(str(len(buckets))))
""".strip(),
}


def spread(workshop: Any, strategy: str, accumulation: int) -> dict[str, Any]:
    where: dict[str, Any] = workshop.spread(2, strategy, micro=4 // accumulation)
    return where


def counts(workshop: Any, strategy: str, accumulation: int, script: dict[str, str]) -> str:
    stage = workshop.stage(
        f"{strategy}_{accumulation}",
        where=spread(workshop, strategy, accumulation),
        script=script,
        schedule__total_steps=STEPS,
        evaluation=None,
        checkpoint__every_steps=STEPS,
    ).finish()
    text: str = (stage.folder / "counts.json").read_text()
    return text


def test_fsdp2_reduces_gradients_in_the_last_micro_batch_only(workshop: Any) -> None:
    one, four = (json.loads(counts(workshop, "fsdp2", accumulation, COUNT_ALL)) for accumulation in (1, 4))
    (name,) = [name for name in one if "reduce_scatter" in name]
    # Two layers, and the root with embedding and head: three groups a step.
    assert one[name] == four[name] == 3 * STEPS


def test_ddp_reduces_gradients_in_the_last_micro_batch_only(workshop: Any) -> None:
    one, four = (int(counts(workshop, "ddp", accumulation, COUNT_BUCKETS)) for accumulation in (1, 4))
    assert one == four > 0
