"""What holds for every finding of every case and example: its places hold what it is about, and it reads like the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from page_specs import BASE, CASES, fault_spec, parts, rule_spec
from sessions import is_session
from trainc.compiler import pages, rules
from trainc.compiler.driver import analyse
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.source import Span

RULES = {rules.code(name) for name in rules.names()}
# Faults of one name: the message says it in backticks, and the place is the name itself.
OF_A_NAME = {"TRN101", "TRN102", "TRN103", "TRN105", "TRN106", "TRN107", "TRN108", "TRN112", "TRN113", "TRN155"}
OF_A_NAME |= {
    "TRN004",
    "TRN008",
    "TRN014",
    "TRN015",
    "TRN017",
    "TRN018",
    "TRN027",
    "TRN902",
    "TRN904",
    "TRN906",
    "TRN907",
    "TRN909",
}


def cases() -> Iterator[tuple[Path, str]]:
    """Every case of a rule, and every example of a page that is no session, each with the name it is read by."""
    yield from ((path, path.read_text()) for path in sorted(CASES.glob("TRN*.train")))
    for code in pages.codes():
        page = pages.page(code)
        if page is not None and not is_session(page.example):
            example = rule_spec(parts(page.example)) if code in RULES else fault_spec(page.example)
            yield BASE.with_name(f"{code}_example.train"), example


@cache
def findings() -> list[tuple[str, Diagnostic]]:
    """Every finding of every case, with the name of the case."""
    return [(path.stem, finding) for path, text in cases() for finding in analyse(path, {}, text).findings]


def places() -> Iterator[tuple[str, str, Span]]:
    """Every place that a finding shows, with the case and the message."""
    for case, finding in findings():
        for span in (finding.primary, *(related.span for related in finding.related)):
            assert span is not None, (case, finding.message)
            yield case, finding.message, span


def test_a_place_lies_in_its_source() -> None:
    assert [place for place in places() if not 0 <= place[2].start <= place[2].end <= len(place[2].source.text)] == []


def test_a_place_is_empty_only_at_the_end_of_a_line() -> None:
    empty = [place for place in places() if not place[2].text]
    assert [place for place in empty if place[2].source.text[place[2].end : place[2].end + 1] not in ("", "\n")] == []


def test_a_place_neither_begins_nor_ends_with_blanks() -> None:
    assert [place for place in places() if place[2].text != place[2].text.strip()] == []


def test_the_place_of_a_name_is_the_name_in_the_message() -> None:
    of_a_name = [(case, finding) for case, finding in findings() if finding.code in OF_A_NAME]
    assert {finding.code for _, finding in of_a_name} == OF_A_NAME
    for case, finding in of_a_name:
        assert finding.primary is not None
        assert finding.primary.text in re.findall("`([^`]+)`", finding.message), case


def test_messages_and_helps_begin_small_and_have_no_full_stop() -> None:
    texts = {
        text
        for _, finding in findings()
        for text in (finding.message, finding.help, *(other.message for other in finding.related))
        if text
    }
    assert {text for text in texts if text[0].isupper() or text.endswith((".", "!", ":")) or "\n" in text} == set()
