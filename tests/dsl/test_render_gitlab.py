from __future__ import annotations

import json
from collections.abc import Callable

from trainc.dsl.diagnostics import error
from trainc.dsl.render_gitlab import render
from trainc.dsl.report import Report
from trainc.dsl.source import Source, Span


def test_every_issue_has_what_gitlab_requires(report: Callable[..., Report]) -> None:
    issues = json.loads(render(report()))
    assert [(issue["check_name"], issue["severity"], issue["location"]["lines"]["begin"]) for issue in issues] == [
        ("TRN003", "major", 3),
        ("TRN212", "minor", 2),
        ("TRN702", "info", 3),
        ("TRN401", "major", 1),
        ("TRN110", "major", 1),
        ("TRN999", "major", 1),
    ]
    assert {issue["location"]["path"] for issue in issues} == {"specs/a b,c:d.train"}
    assert all(issue["description"] for issue in issues)


def test_fingerprints_of_equal_findings_differ(report: Callable[..., Report]) -> None:
    source = Source("a.train", "let a = b\n" * 3)
    equal = [error("TRN101", "no name `b`", Span(source, start, start + 1)) for start in (8, 18, 28)]
    assert len({issue["fingerprint"] for issue in json.loads(render(report(*equal)))}) == 3


def test_without_findings_the_list_is_empty(report: Callable[..., Report]) -> None:
    assert json.loads(render(Report((), "/repo", report().page))) == []
