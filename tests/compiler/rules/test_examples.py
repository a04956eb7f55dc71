"""Every rule's page is true: its example makes the fault, and what it says to write instead does not."""

from collections.abc import Callable

import pytest
from page_specs import CASES, parts, rule_spec
from trainc.compiler import pages, rules
from trainc.dsl.diagnostics import Diagnostic

CODES = [rules.code(name) for name in rules.names()]

Findings = Callable[..., tuple[Diagnostic, ...]]


@pytest.mark.parametrize("code", CODES)
def test_the_example_makes_the_fault_and_nothing_else(code: str, findings: Findings) -> None:
    page = pages.page(code)
    assert page is not None
    found = findings(CASES / f"{code}_example.train", rule_spec(parts(page.example)))
    assert {finding.code for finding in found} == {code}, [finding.message for finding in found]


@pytest.mark.parametrize("code", CODES)
def test_what_to_write_instead_has_no_fault(code: str, findings: Findings) -> None:
    page = pages.page(code)
    assert page is not None
    found = findings(CASES / f"{code}_example.train", rule_spec(parts(page.example) | parts(page.instead)))
    assert [finding.message for finding in found] == []
