"""Every rule's page is true: its example makes the fault, and what it says to write instead does not."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from trainc.compiler import pages, rules
from trainc.dsl.diagnostics import Diagnostic

CASES = Path(__file__).parents[2] / "cases" / "rules"
CODES = [rules.code(name) for name in rules.names()]
DECLARATION = re.compile(r"^(gpu|cluster|model|data|mesh|precision|stage|pipeline) (\w+) (?:= (\w+) )?(\{.*)", re.DOTALL)

Findings = Callable[..., tuple[Diagnostic, ...]]


def parts(snippet: str) -> dict[str, str]:
    """The declarations and fields of an example, by what they set."""
    # A line that begins with a blank or a closing brace goes on with the one before.
    whole = re.split(r"\n(?![ }])", snippet)
    return {" ".join(part.split()[:2]) if DECLARATION.match(part) else part.split()[0]: part for part in whole}


def spec(example: dict[str, str]) -> str:
    """The base spec with the example in it."""
    text = (CASES / "base.train").read_text()
    stages = ["pretrain"]
    fields = []
    for name, part in example.items():
        found = DECLARATION.match(part)
        if found is None:
            fields.append(part)
            continue
        kind, own, _, body = found.groups()
        if re.search(rf"^{name} ", text, re.MULTILINE):
            text = re.sub(rf"^{name} ", f"{kind} base_{own} ", text, flags=re.MULTILINE)
            part = f"{kind} {own} = base_{own} {body}"
        elif kind == "stage":
            stages.append(own)
        text += f"\n{part}\n"
    # A field of the stage stands on one line of the base spec; the example's takes its place.
    for field in fields:
        text, count = re.subn(rf"^  {field.split()[0]} .*", field, text, count=1, flags=re.MULTILINE)
        assert count, field
    if not any(name.startswith("pipeline") for name in example):
        text += f"\npipeline run {{ stages = [{', '.join(stages)}] }}\n"
    return text


@pytest.mark.parametrize("code", CODES)
def test_the_example_makes_the_fault_and_nothing_else(code: str, findings: Findings) -> None:
    page = pages.page(code)
    assert page is not None
    found = findings(CASES / f"{code}_example.train", spec(parts(page.example)))
    assert {finding.code for finding in found} == {code}, [finding.message for finding in found]


@pytest.mark.parametrize("code", CODES)
def test_what_to_write_instead_has_no_fault(code: str, findings: Findings) -> None:
    page = pages.page(code)
    assert page is not None
    found = findings(CASES / f"{code}_example.train", spec(parts(page.example) | parts(page.instead)))
    assert [finding.message for finding in found] == []
