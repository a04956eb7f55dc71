"""Each rule fires where its case says so and nowhere else, and is silent on a corrected spec."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from trainc.compiler import rules
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.render_text import render_text

CASES = Path(__file__).parents[2] / "cases" / "rules"
CODES = [rules.code(name) for name in rules.names()]
EXPECTATION = re.compile(r"(error|warning)\[(TRN\d{3})\]: (.+?)(?= \| |$)")

Findings = Callable[..., tuple[Diagnostic, ...]]
Suggestions = Callable[[str], Iterator[dict[str, str]]]


def expected(text: str) -> list[tuple[int, str, str, str]]:
    """Line, severity, code and a part of the message, from the comments of a case."""
    lines = enumerate(text.splitlines(), start=1)
    return sorted((number, *found) for number, line in lines for found in EXPECTATION.findall(line.partition("# ")[2]))


@pytest.mark.parametrize("code", CODES)
def test_every_rule_has_a_case_that_fires(code: str) -> None:
    assert code in {entry[2] for entry in expected((CASES / f"{code}.train").read_text())}


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.glob("TRN???.train")))
def test_a_case_makes_exactly_the_findings_on_its_lines(case: str, findings: Findings) -> None:
    path = CASES / case
    found = findings(path)
    places = sorted(
        (Path(f.primary.source.name).name, f.primary.line, f.severity.value, f.code, f.message) for f in found if f.primary
    )
    wanted = expected(path.read_text())
    assert [place[:4] for place in places] == [(case, *entry[:3]) for entry in wanted], places
    assert all(entry[3] in place[4] for place, entry in zip(places, wanted, strict=True)), places


@pytest.mark.parametrize("case", sorted(path.stem for path in CASES.glob("TRN???.train")))
def test_a_case_reads_as_it_is_kept(case: str, findings: Findings, request: pytest.FixtureRequest) -> None:
    shown = render_text(findings(CASES / f"{case}.train")).replace(f"{CASES}/", "")
    kept = CASES / f"{case}.txt"
    if request.config.getoption("--bless"):
        kept.write_text(shown)
    assert shown == kept.read_text()


@pytest.mark.parametrize("code", CODES)
def test_every_rule_is_silent_on_a_corrected_spec(code: str, findings: Findings) -> None:
    assert findings(CASES / f"{code}_ok.train") == ()


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.glob("TRN???.train")))
def test_what_the_help_suggests_silences_the_finding(case: str, findings: Findings, suggestions: Suggestions) -> None:
    path = CASES / case
    lines = path.read_text().splitlines()
    for finding in findings(path):
        assert finding.primary is not None
        place = finding.primary.line
        changes = list(suggestions(finding.help or ""))
        outcomes = [findings(path, "\n".join(with_change(lines, place, change))) for change in changes]
        # A change that belongs to another record than the line's makes an unknown field there, which proves nothing.
        proofs = [outcome for outcome in outcomes if all(other.code > "TRN2" for other in outcome)]
        assert proofs or not changes, finding.help
        still = {(other.code, other.primary.line) for outcome in proofs for other in outcome if other.primary}
        assert (finding.code, place) not in still, finding.help


def with_change(lines: list[str], place: int, change: dict[str, str]) -> list[str]:
    """The lines of a spec with some fields set in one of them, anew or first."""
    line = lines[place - 1]
    for field, value in change.items():
        changed, count = re.subn(rf"\b{field}( *)= (?:\[[^\]]*\]|[^,}}#]+?)(?= *[,}}#]| *$)", rf"{field}\1= {value}", line, count=1)
        line = changed if count else line.replace("{", f"{{ {field} = {value},", 1)
    return [*lines[: place - 1], line, *lines[place:]]
