"""No text makes a phase raise: mutated specs go through the whole way up to programs."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse

CORPUS = [Path("examples/quickstart/quickstart.train"), *sorted(Path("tests/cases/bundles").glob("*/spec.train"))]
TOKEN = re.compile(r"\w+|\S|\s+")
WORDS = ["true", "fp8", "tiny", "base", "sft.model", "-1", "0", "1e400", "3%", "80 GiB", "1 / 0", "100 epochs"]
SPARE = [*WORDS, *"{}=[],.", '"x"']


def mutated(text: str, chance: random.Random) -> str:
    """The text with a few of its words removed, doubled, swapped or replaced."""
    words = TOKEN.findall(text)
    for _ in range(chance.randint(1, 3)):
        place, other = chance.randrange(len(words)), chance.randrange(len(words))
        words[place] = chance.choice([words[other], "", words[place] * 2, chance.choice(SPARE)])
    return "".join(words)


@pytest.mark.parametrize("spec", CORPUS, ids=lambda spec: spec.parent.name)
def test_mutated_specs_end_in_findings_or_a_plan(spec: Path) -> None:
    chance = random.Random(spec.parent.name)
    text = spec.read_text()
    for _ in range(100):
        attempt = mutated(text, chance)
        analysis = analyse(spec, {}, attempt)
        assert analysis.findings or analysis.plan, attempt


@pytest.mark.slow
def test_mutated_bytes_of_the_whole_corpus_end_in_findings_or_a_plan() -> None:
    done = subprocess.run([sys.executable, "benchmarks/fuzz.py", "2000", "7"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2,000 inputs" in done.stdout
