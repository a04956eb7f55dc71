"""No input makes the parser raise, hang, or point outside of the text."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trainc.dsl.ast import File
from trainc.dsl.parser import parse, parse_expression
from trainc.dsl.render_text import render_text
from trainc.dsl.source import Source

WHOLE_FILE = Path(__file__).with_name("whole_file.train").read_text(encoding="utf-8")
PIECES = [
    *"{}[]()\"=,:.#%-\\$\n'",
    *('"""', "${", "##", "\\u{", "//", "\r\n", "\ufeff", "\x00", "é"),
    *("if ", "then ", "else ", "not ", "in ", "assert ", "let ", "import ", "param ", "3", "3GB", "a b {\n", "x = "),
]


def check(text: str) -> None:
    source = Source("t", text)
    for findings in (parse(source).findings, parse_expression(source)[1]):
        for finding in findings:
            assert finding.primary is not None
            assert 0 <= finding.primary.start <= finding.primary.end <= len(text)
        render_text(findings)


@settings(max_examples=700, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_arrangement_of_pieces(text: str) -> None:
    check(text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    check(text)


def test_mutations_of_a_whole_file() -> None:
    rng = random.Random(11)
    for _ in range(1000):
        begin = rng.randrange(len(WHOLE_FILE))
        text = WHOLE_FILE[begin : begin + 300]
        for _ in range(rng.randint(1, 5)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(PIECES) * rng.randint(0, 2) + text[at + rng.randint(0, 3) :]
        check(text)


@pytest.mark.parametrize("piece", ["[", "(", "{", "a {", "f(", "-", "not ", "if ", "1 + ", "a.", '"${', "]", "}"])
def test_deep_input_is_one_finding_or_few_and_quick(piece: str) -> None:
    started = time.perf_counter()
    findings = parse(Source("t", f"let x = {piece * 20_000}")).findings
    assert 1 <= len(findings) <= 2
    assert time.perf_counter() - started < 3


@pytest.mark.parametrize("piece", ["[0]", "{ x = 1 }", ".b", "[-0]", "{ x { y = [1] } }"])
def test_a_long_chain_of_what_follows_a_value_is_one_finding(piece: str) -> None:
    result = parse(Source("t", f"let x = b{piece * 3000}\nlet y = 1\n"))
    assert [finding.code for finding in result.findings] == ["TRN026"]
    assert [item.name.text for item in result.file.items] == ["y"]


def test_a_bracket_at_the_limit_does_not_hide_what_is_deeper() -> None:
    text = f"let x = {'-' * 199}[{'-' * 5000}1]\n"
    assert [finding.code for finding in parse(Source("t", text)).findings] == ["TRN026"]


def test_a_name_without_end_is_quick() -> None:
    started = time.perf_counter()
    assert len(parse(Source("t", "x" * 200_000)).findings) == 1
    assert time.perf_counter() - started < 0.5


def test_many_faults_are_quick() -> None:
    started = time.perf_counter()
    findings = parse(Source("t", "mesh m {\n" + "x = [\n" * 10_000 + "}\n")).findings
    assert len(findings) == 10_000
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("opened", ["[", "f(", "{"])
def test_nesting_up_to_the_limit_is_read(opened: str) -> None:
    closing = {"[": "]", "f(": ")", "{": "}"}[opened]
    text = f"{'a { b = ' * 63}1{' }' * 63}" if opened == "{" else f"{opened * 64}1{closing * 64}"
    assert parse_expression(Source("t", text))[1] == ()


def test_one_nesting_more_than_the_limit_is_one_finding_and_the_rest_is_kept() -> None:
    result = parse(Source("t", f"let x = {'[' * 65}{']' * 65}\nlet y = 1\n"))
    assert [finding.code for finding in result.findings] == ["TRN026"]
    assert len(result.file.items) == 1


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "# only a comment", "\r\n\r\n"])
def test_a_file_without_items_is_fine(text: str) -> None:
    result = parse(Source("t", text))
    assert isinstance(result.file, File)
    assert result.findings == ()
