"""A loss that is no number ends the run, or leaves the step out on every rank."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow

# On one rank only: what the others know of it comes by agreement.
BROKEN = """
    steps = []
    original = causal.loss

    def broken(network, batch):
        steps.append(batch.samples)
        bad = run.rank == run.world_size - 1 and len(steps) in {steps}
        return original(network, batch) * (float("nan") if bad else 1.0)

    causal.loss = broken
"""


def stage(workshop: Any, name: str, steps: str, **changes: Any) -> Any:
    where = {**workshop.spread(2, "fsdp2", micro=4)}
    script = {"before_fit": BROKEN.format(steps=steps)}
    return workshop.stage(name, where=where, script=script, evaluation=None, nonfinite="skip", **changes)


def test_a_skipped_step_changes_nothing_but_the_schedule(workshop: Any) -> None:
    skipped = stage(workshop, "skipped", "(3,)").finish()
    (event,) = skipped.events("skipped")
    assert (event["step"], event["reason"], len(event["samples"])) == (3, "the loss is nan", 4)
    assert [row["step"] for row in skipped.metrics()] == [1, 2, 4, 5, 6, 7, 8, 9, 10]
    # A run that takes another third step has the same first two, another fourth, and the same rates throughout.
    whole = stage(workshop, "whole", "()").finish()
    assert skipped.losses()[:2] == whole.losses()[:2]
    assert skipped.losses()[2] != whole.losses()[3]
    rates = {row["step"]: row["lr"] for row in whole.metrics()}
    assert all(row["lr"] == rates[row["step"]] for row in skipped.metrics())
    assert skipped.metrics()[-1]["tokens"] == whole.metrics()[-1]["tokens"]


def test_ten_in_a_row_end_the_run_on_all_ranks_with_one_sentence(workshop: Any) -> None:
    done = stage(workshop, "row", "range(3, 100)", schedule__total_steps=20).run()
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert line.startswith("error: the loss is nan in step 12, from the micro-batches of samples ")
    assert ": the 10th step in a row that was left out; " in line
