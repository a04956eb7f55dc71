from __future__ import annotations

import pytest
from trainc.compiler.policy import code_lists
from trainc.compiler.policy.judgement import Policy, judge
from trainc.compiler.policy.waivers import suppressible, waivable
from trainc.dsl.diagnostics import Diagnostic, Severity

FOUND = tuple(
    Diagnostic(code, severity, code, None)
    for code, severity in (
        ("TRN201", Severity.ERROR),
        ("TRN303", Severity.ERROR),
        ("TRN307", Severity.WARNING),
        ("TRN702", Severity.WARNING),
    )
)


def shown(policy: Policy) -> list[str]:
    return [finding.code for finding in judge(FOUND, policy).shown]


def test_without_a_policy_every_finding_counts() -> None:
    assert judge(FOUND, Policy()).shown == FOUND


def test_what_is_ignored_is_not_shown() -> None:
    assert shown(Policy(ignore=("TRN3",))) == ["TRN201", "TRN702"]


def test_what_a_run_fails_on_is_shown_although_its_family_is_ignored() -> None:
    assert shown(Policy(ignore=("TRN",))) == ["TRN201"]


def test_errors_that_are_not_selected_are_kept_apart() -> None:
    verdict = judge(FOUND, Policy(select=("TRN307", "TRN702")))
    assert [finding.code for finding in verdict.shown] == ["TRN307", "TRN702"]
    assert [finding.code for finding in verdict.unselected] == ["TRN201", "TRN303"]


def test_an_ignored_error_is_none_of_those_that_are_not_selected() -> None:
    verdict = judge(FOUND, Policy(select=("TRN7",), ignore=("TRN303",)))
    assert [finding.code for finding in verdict.unselected] == ["TRN201"]


def test_severities_are_raised_and_lowered_before_the_least_one_decides() -> None:
    policy = Policy(severity={"TRN303": Severity.NOTE, "TRN702": Severity.ERROR}, least=Severity.WARNING)
    assert shown(policy) == ["TRN201", "TRN307", "TRN702"]
    assert judge(FOUND, policy).shown[-1].severity is Severity.ERROR


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("TRN701", True),
        ("TRN303", True),
        ("TRN307", True),
        ("TRN901", True),
        ("TRN907", True),
        ("TRN201", False),
        ("TRN101", False),
        ("TRN001", False),
        ("TRN911", False),
        ("TRN999", False),
    ],
)
def test_a_finding_can_be_waived_where_a_run_survives_it(code: str, expected: bool) -> None:
    assert waivable(code) is expected


def test_no_comment_suppresses_findings_about_comments() -> None:
    assert not suppressible("TRN901")
    assert suppressible("TRN907")


@pytest.mark.parametrize(
    ("code", "meant"), [("TRN330", "TRN303"), ("trn303", "TRN303"), ("TRN2X", None), ("", None), ("E501", None)]
)
def test_a_code_is_suggested_where_one_is_near(code: str, meant: str | None) -> None:
    assert code_lists.meant(code) == meant


def test_why_a_code_must_stay_is_told_by_its_page() -> None:
    finding = code_lists.not_ignorable("TRN201")
    assert finding is not None
    assert "hangs at its start" in finding.message
