from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trainc.compiler.driver import analyse
from trainc.compiler.policy.suppressions import apply
from trainc.dsl.diagnostics import Diagnostic, Related, Severity, error, has_errors

LONG_WARMUP = "stage s = base { schedule = cosine { warmup = 200 steps } }"


def codes(findings: tuple[Diagnostic, ...]) -> list[str]:
    return [finding.code for finding in findings]


def fixed(finding: Diagnostic) -> str:
    """The text of a spec after the fix of a finding."""
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    text = edit.span.source.text
    return text[: edit.span.start] + edit.text + text[edit.span.end :]


def test_the_fault_that_the_others_suppress_is_found(analysed: Any) -> None:
    assert codes(analysed(LONG_WARMUP).findings) == ["TRN303"]


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG_WARMUP}  # trainc: allow TRN303 -- stopped by hand",
        f"# trainc: allow TRN303 -- stopped by hand\n{LONG_WARMUP}",
        f"# trainc: allow TRN303 -- stopped by hand\n# as agreed on Monday\n{LONG_WARMUP}",
        f"#trainc:allow TRN303--stopped by hand\n{LONG_WARMUP}",
        "stage s = base {\n  # trainc: allow TRN303 -- stopped by hand\n  schedule = cosine { warmup = 200 steps }\n}",
    ],
)
def test_a_comment_on_the_line_or_above_it_takes_the_finding_away(text: str, analysed: Any) -> None:
    assert codes(analysed(text).findings) == []


def test_a_suppressed_error_does_not_stop_the_compilation(analysed: Any) -> None:
    analysis = analysed(f"{LONG_WARMUP}  # trainc: allow TRN303 -- stopped by hand")
    assert analysis.plan is not None
    assert [stage.length.warmup_steps for stage in analysis.plan.stages] == [10, 200]


def test_several_codes_are_separated_by_commas(analysed: Any) -> None:
    text = "stage s = base { schedule = cosine { warmup = 200 steps }, optimizer { lr = 0.5 } }"
    assert codes(analysed(text).findings) == ["TRN303", "TRN307"]
    assert analysed(f"{text}  # trainc: allow TRN303, TRN307 -- a test of divergence").findings == ()


@pytest.mark.parametrize(
    "text",
    [
        f"# trainc: allow TRN303 -- a blank line ends it\n\n{LONG_WARMUP}",
        f"let x = 1  # trainc: allow TRN303 -- of its own line only\n{LONG_WARMUP}\nassert x == 1",
        f"# trainc: allow TRN307 -- another code\n{LONG_WARMUP}",
    ],
)
def test_a_comment_elsewhere_or_of_another_code_changes_nothing(text: str, analysed: Any) -> None:
    assert sorted(codes(analysed(text).findings)) == ["TRN303", "TRN903"]


def test_a_suppression_works_in_the_file_where_the_finding_is(analysed: Any, tmp_path: Path) -> None:
    (tmp_path / "parts.train").write_text(
        "let warm = 200 steps\nlet plan = cosine { warmup = 200 steps }  # trainc: allow TRN303 -- why\n"
    )
    assert analysed('import "./parts.train"\nstage s = base { schedule = parts.plan }').findings == ()


def test_a_finding_in_the_standard_library_is_allowed_at_the_users_own_line(analysed: Any) -> None:
    library = analysed("# trainc: allow TRN303 -- why\nlet x = gpus.host\nassert true").library
    there, here = library.modules["std.gpus"].file.items[0].span, library.root.file.items[-2].span
    finding = error("TRN303", "long", there, Related(here, "named here"))
    assert apply([finding], library, planned=True) == ()
    assert codes(apply([error("TRN303", "long", there)], library, planned=True)) == ["TRN303", "TRN903"]


def test_a_suppression_needs_a_reason(analysed: Any) -> None:
    findings = analysed(f"{LONG_WARMUP}  # trainc: allow TRN303").findings
    assert codes(findings) == ["TRN303", "TRN901"]
    assert codes(analysed(f"{LONG_WARMUP}  # trainc: allow TRN303 --  ").findings) == ["TRN303", "TRN901"]


@pytest.mark.parametrize("mark", ["", "- ", "\N{EN DASH} ", "\N{EM DASH} ", ": "])
def test_a_reason_without_dashes_is_mended_by_the_fix(mark: str, analysed: Any) -> None:
    findings = analysed(f"{LONG_WARMUP}  # trainc: allow TRN303 {mark}stopped by hand").findings
    assert codes(findings) == ["TRN303", "TRN901"]
    assert analysed(fixed(findings[1]), head="").findings == ()


def test_an_unknown_code_is_suggested(analysed: Any) -> None:
    _, finding = analysed(f"{LONG_WARMUP}  # trainc: allow trn303 -- stopped by hand").findings
    assert (finding.code, finding.severity, finding.help) == ("TRN902", Severity.ERROR, "did you mean `TRN303`?")
    assert analysed(fixed(finding), head="").findings == ()


def test_a_family_is_no_code(analysed: Any) -> None:
    assert codes(analysed(f"{LONG_WARMUP}  # trainc: allow TRN3 -- stopped by hand").findings) == ["TRN303", "TRN902"]


@pytest.mark.parametrize("code", ["TRN201", "TRN101", "TRN001", "TRN130", "TRN901", "TRN903"])
def test_what_a_run_fails_on_cannot_be_suppressed(code: str, analysed: Any) -> None:
    (finding,) = analysed(f"# trainc: allow {code} -- please\nlet x = 1\nassert x == 1").findings
    assert (finding.code, finding.primary.text) == ("TRN904", code)


def test_the_settings_can_forbid_a_suppression(tmp_path: Path, analysed: Any) -> None:
    analysed(f"{LONG_WARMUP}  # trainc: allow TRN303 -- stopped by hand")
    findings = analyse(tmp_path / "spec.train", {}, fixed={"TRN303"}).findings
    assert codes(findings) == ["TRN303", "TRN904"]
    assert "settings" in findings[1].message


@pytest.mark.parametrize(
    "comment",
    [
        "# trainc: alow TRN303 -- why",
        "## trainc: allow TRN303 -- why",
        "# Trainc: Allow TRN303 -- why",
        "# trainc allow TRN303 -- why",
    ],
)
def test_a_misspelt_suppression_is_found_and_mended(comment: str, analysed: Any) -> None:
    findings = analysed(f"{comment}\n{LONG_WARMUP}").findings
    assert sorted(codes(findings)) == ["TRN303", "TRN905"]
    finding = next(finding for finding in findings if finding.code == "TRN905")
    assert "did you mean" in (finding.help or "")
    assert analysed(fixed(finding), head="").findings == ()


@pytest.mark.parametrize("comment", ["# trainc: ignore all", "# trainc:", "# trainc: allow", "# trainc: allow TRN303 or so -- why"])
def test_a_comment_that_no_suggestion_mends_shows_the_form(comment: str, analysed: Any) -> None:
    findings = analysed(f"{comment}\n{LONG_WARMUP}").findings
    assert sorted(codes(findings)) == ["TRN303", "TRN905"]


@pytest.mark.parametrize(
    "comment", ["# trainc check spec.train", "# made with trainc", "## what trainc: says", "# allow TRN303 -- why"]
)
def test_an_ordinary_comment_is_left_alone(comment: str, analysed: Any) -> None:
    assert analysed(f"{comment}\nlet x = 1\nassert x == 1").findings == ()


def test_an_unused_suppression_is_a_warning_whose_fix_deletes_it(analysed: Any) -> None:
    text = "let x = 1  # trainc: allow TRN303 -- no more\nassert x == 1\n"
    (finding,) = analysed(text).findings
    assert (finding.code, finding.severity) == ("TRN903", Severity.WARNING)
    assert fixed(finding).endswith("let x = 1\nassert x == 1\n")
    (above,) = analysed(f"# trainc: allow TRN303 -- no more\n{text.replace('  # trainc: allow TRN303 -- no more', '')}").findings
    assert fixed(above).endswith("\nlet x = 1\nassert x == 1\n")
    assert "trainc:" not in fixed(above)


@pytest.mark.parametrize(
    ("listed", "left"), [("TRN303, TRN307", "TRN303"), ("TRN307, TRN303", "TRN303"), ("TRN307,TRN303,TRN305", "TRN303")]
)
def test_only_the_code_without_use_is_deleted(listed: str, left: str, analysed: Any) -> None:
    findings = analysed(f"{LONG_WARMUP}  # trainc: allow {listed} -- why").findings
    assert set(codes(findings)) == {"TRN903"}
    edits = sorted((edit for finding in findings for edit in finding.fix.edits), key=lambda edit: -edit.span.start)
    text = edits[0].span.source.text
    for edit in edits:
        text = text[: edit.span.start] + text[edit.span.end :]
    assert text.endswith(f"# trainc: allow {left} -- why")


def test_nothing_is_called_unused_where_the_rules_did_not_run(analysed: Any) -> None:
    allow = "# trainc: allow TRN303 -- stopped by hand\n"
    assert codes(analysed(f"{allow}let x = nowhere").findings) == ["TRN101"]
    assert codes(analysed(f"{allow}let x = 1", head="").findings) == []


def test_an_imported_file_may_suppress_for_another_spec(analysed: Any, tmp_path: Path) -> None:
    (tmp_path / "parts.train").write_text("# trainc: allow TRN303 -- for others\nlet warm = 10 steps\n")
    assert analysed('import "./parts.train"\nstage s = base { schedule = cosine { warmup = parts.warm } }').findings == ()


def test_a_marker_in_a_string_is_no_comment(analysed: Any) -> None:
    assert not has_errors(analysed('let x = "# trainc: alow"\nassert x != ""').findings)


def test_a_code_without_a_comma_is_taken_for_no_reason(analysed: Any) -> None:
    findings = analysed(f"{LONG_WARMUP}  # trainc: allow TRN303 TRN307").findings
    assert [(finding.code, finding.fix) for finding in findings[1:]] == [("TRN901", None)]
