"""One slip of the fingers anywhere in a sound spec is one finding: nothing that only follows from it is reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse
from trainc.dsl.lexer import lex
from trainc.dsl.source import Source

ROOT = Path(__file__).parents[2]
SPECS = [ROOT / "examples/quickstart/quickstart.train", ROOT / "tests/cases/rules/base.train"]
MARKS = ("EQUAL", "COLON", "LBRACE", "RBRACE", "LBRACK", "RBRACK", "COMMA")


def slips(text: str) -> Iterator[tuple[str, str]]:
    """What was done to which token, and the text after it."""
    for kind, start, end in lex(Source("t", text)).tokens:
        word, before, after = text[start:end], text[:start], text[end:]
        place = f"{word.strip()!r} in line {text.count(chr(10), 0, start) + 1}"
        if word.isidentifier():
            yield f"left out {place}", before + after
            if len(word) > 3:
                yield f"misspelt {place}", f"{before}{word[:-1]}x{after}"
        if kind in MARKS:
            yield f"left out {place}", before + after
            yield f"doubled {place}", before + word + word + after
        if kind == "NUMBER":
            yield f"left out {place}", before + after
            yield f"gave a wrong unit to {place}", f"{before}{word} GBB{after}"
            yield f"put a string for {place}", f'{before}"x"{after}'
            yield f"put a second value after {place}", f"{before}{word} 7{after}"
        if kind == "STRING":
            yield f"left a quote out of {place}", before + word[:-1] + after


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_one_slip_is_one_finding(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not analyse(path, {}, text).findings
    found = {
        done: [f"{finding.code} {finding.message}" for finding in analyse(path, {}, slip).findings] for done, slip in slips(text)
    }
    assert len(found) > 200
    assert {done: findings for done, findings in found.items() if len(findings) > 1} == {}
    # Some slips make another sound spec: the name of a stage that nothing refers to, a longer name of a let.
    assert sum(not findings for findings in found.values()) <= 2


def test_six_faults_of_all_phases_in_five_blocks_are_six_findings(tmp_path: Path) -> None:
    text = (ROOT / "examples/quickstart/quickstart.train").read_text(encoding="utf-8")
    slips = {
        "  gpus_per_node = 2": "  gpus_per_node = 2 3",  # syntax
        "  holdout  = 5%": "  holdout  = 5 GB",  # dimension
        "  dp_shard = 2": "  dp_shrad = 2",  # field
        "  compute = fp32": "  compute = fp23",  # member
        "  schedule   = cosine { warmup = 5%": "  schedule   = cosine { warmup = 400 steps",  # rule
        "  optimizer  = adamw": "  optimizer  = adamv",  # variant
    }
    for sound, slip in slips.items():
        assert sound in text, sound
        text = text.replace(sound, slip, 1)
    analysis = analyse(tmp_path / "spec.train", {}, text)
    assert sorted(finding.code for finding in analysis.findings) == ["TRN001", "TRN105", "TRN107", "TRN107", "TRN120", "TRN303"]
    assert {"here", "python", "pair", "exact", "pretrain"} <= analysis.elaborated.records.keys()
