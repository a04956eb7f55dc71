"""The plans for clusters: sound, compiled, with the peaks that their README states; and what it says to try."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse
from trainc.compiler.emit import emit
from trainc.compiler.units import format_gib

PLANS = Path("examples/plans")
README = (PLANS / "README.md").read_text()
ROWS = dict(re.findall(r"^\| \[`(\w+)\.train`\].* \| ([\d.]+ GiB) \|$", README, re.MULTILINE))


def test_the_readme_lists_every_spec() -> None:
    assert set(ROWS) == {path.stem for path in PLANS.glob("*.train")}


@pytest.mark.parametrize("name", ROWS)
def test_a_plan_is_sound_and_has_the_stated_peak(name: str) -> None:
    made = analyse(PLANS / f"{name}.train", {})
    assert made.findings == ()
    assert made.plan is not None
    assert made.programs is not None
    (stage,) = made.plan.stages
    assert format_gib(stage.memory.peak_bytes) == ROWS[name]
    assert any(path.endswith("train.py") for path in emit(made.plan, made.programs, made.library, {}).files)


TRIED = [
    ("sft_70b", " { sync_each_batch = true }", "", {"TRN701"}),
    ("llama_405b", "tp                = 8", "tp                = 16", {"TRN202"}),
    ("qlora_70b", "{ quantization = nf4 }", "{ quantization = none }", set()),
    ("context_128k", "dp_shard = 4, cp = 8, cp_method = ulysses", "dp_shard = 32", {"TRN701"}),
]


@pytest.mark.parametrize(("name", "old", "new", "codes"), TRIED, ids=[name for name, *_ in TRIED])
def test_what_the_readme_says_to_try_ends_as_it_says(name: str, old: str, new: str, codes: set[str]) -> None:
    text = (PLANS / f"{name}.train").read_text()
    assert old in text
    found = {finding.code for finding in analyse(PLANS / f"{name}.train", {}, text.replace(old, new)).findings}
    assert codes <= found
    assert bool(codes) or not found
