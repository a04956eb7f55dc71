from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from trainc.dsl.diagnostics import Diagnostic, Severity
from trainc.dsl.render_junit import render
from trainc.dsl.report import Report

WARNING = Diagnostic("TRN212", Severity.WARNING, "shards nothing", None)


def test_each_spec_is_a_case_that_fails_by_its_errors(report: Callable[..., Report]) -> None:
    root = ElementTree.fromstring(render(report()))
    suite = root.find("testsuite")
    assert suite is not None
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["2", "1", "0"]
    bad, clean = suite.findall("testcase")
    assert (clean.get("name"), len(clean)) == ("clean.train", 0)
    failure = bad.find("failure")
    assert failure is not None
    assert (failure.get("message"), failure.get("type")) == ("4 errors", "TRN003")
    assert "specs/a b,c:d.train:3:15: error[TRN003]" in (failure.text or "")
    assert "warning[TRN212]" in (bad.findtext("system-out") or "")


def test_warnings_fail_a_case_only_where_they_fail_the_check(report: Callable[..., Report]) -> None:
    lenient, strict = (ElementTree.fromstring(render(report(WARNING, strict=strict))) for strict in (False, True))
    assert lenient.find(".//failure") is None
    assert "shards nothing" in (lenient.findtext(".//system-out") or "")
    assert strict.find(".//failure") is not None
    assert (lenient.get("failures"), strict.get("failures")) == ("0", "1")
