from __future__ import annotations

import pytest
from trainc.dsl.diagnostics import Diagnostic, Related, Severity, error
from trainc.dsl.report import Checked, Report, named_by_content, place
from trainc.dsl.source import Source, Span


def made(*checked: Checked, strict: bool = False) -> Report:
    return Report(checked, "/repo", lambda code: None, strict)


def found(text: str, start: int = 0, name: str = "a.train") -> Diagnostic:
    return error("TRN101", "no name", Span(Source(name, text), start, start + 1))


def test_a_finding_in_a_file_that_two_specs_import_is_reported_once() -> None:
    shared = [Checked(spec, (found("x", name="shared.train"),)) for spec in ("a.train", "b.train")]
    assert len(made(*shared).findings) == 1


def test_a_finding_of_no_place_belongs_to_each_spec_that_has_it() -> None:
    nowhere = [Checked(spec, (error("TRN110", "no param", None),)) for spec in ("a.train", "b.train")]
    assert [placed.file for placed in made(*nowhere).placed] == ["a.train", "b.train"]


def test_a_place_in_the_standard_library_gives_way_to_one_of_the_users() -> None:
    standard, own = Span(Source("std.gpus", "gpu", is_file=False), 0, 3), Span(Source("mine.train", "x"), 0, 1)
    assert place(error("TRN401", "m", standard, Related(own, "here")), "spec.train").span == own
    alone = place(error("TRN401", "m", standard), "spec.train")
    assert (alone.file, alone.span, alone.line, alone.column) == ("spec.train", None, 1, 1)


@pytest.mark.parametrize(
    ("file", "path"),
    [("a.train", "a.train"), ("./b/a.train", "b/a.train"), ("/repo/a.train", "a.train"), ("../a.train", "/a.train")],
)
def test_paths_are_relative_to_the_folder_where_they_can_be(file: str, path: str) -> None:
    assert made().path(file) == path


def test_names_by_content_outlive_lines_added_above() -> None:
    before, after = "let a = b\n", "let x = 1\n\nlet a = b\n"
    first = made(Checked("a.train", (found(before, 8),)))
    second = made(Checked("a.train", (found(after, after.index("b")),)))
    assert [name for _, name in named_by_content(first.placed, first)] == [
        name for _, name in named_by_content(second.placed, second)
    ]


def test_names_by_content_tell_equal_findings_apart() -> None:
    text = "let a = b + b\n"
    report = made(Checked("a.train", (found(text, 8), found(text, 12))))
    assert len({name for _, name in named_by_content(report.placed, report)}) == 2


@pytest.mark.parametrize(
    ("severity", "strict", "fails"),
    [(Severity.ERROR, False, True), (Severity.WARNING, False, False), (Severity.WARNING, True, True), (Severity.NOTE, True, False)],
)
def test_what_makes_a_check_fail(severity: Severity, strict: bool, fails: bool) -> None:
    assert made(strict=strict).fails(Diagnostic("TRN101", severity, "m", None)) is fails
