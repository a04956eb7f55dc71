from __future__ import annotations

from collections.abc import Callable

from trainc.dsl.diagnostics import Diagnostic, Severity, error
from trainc.dsl.render_github import render
from trainc.dsl.report import Report
from trainc.dsl.source import Source, Span

FILE = "file=specs/a b%2Cc%3Ad.train"


def test_commands_are_escaped_and_stand_in_files_of_the_users(report: Callable[..., Report]) -> None:
    assert render(report()).splitlines() == [
        f"::error {FILE},line=3,endLine=3,col=15,endColumn=16,title=trainc TRN003::expected `=`%0Aafter `pp`: 100%25%0Ahelp: h",
        f"::error {FILE},line=1,title=trainc TRN401::too old",
        f"::error {FILE},line=1,title=trainc TRN110::no param `x`%0Ahelp: the spec declares no `param`",
        f"::error {FILE},line=1,title=trainc TRN999::of no page",
        f"::warning {FILE},line=2,endLine=3,title=trainc TRN212::the whole <mesh> & \x1b[31m\x00 more",
        f"::notice {FILE},line=3,endLine=3,col=3,endColumn=10,title=trainc TRN702::too small",
    ]


def many(severity: Severity, count: int) -> list[Diagnostic]:
    source = Source("a.train", "x" * count)
    return [Diagnostic("TRN101", severity, severity.value, Span(source, start, start + 1)) for start in range(count)]


def test_no_more_are_printed_than_github_shows_and_the_rest_is_counted(report: Callable[..., Report]) -> None:
    lines = render(report(*many(Severity.ERROR, 13), *many(Severity.WARNING, 11), *many(Severity.NOTE, 12))).splitlines()
    commands = [line.split(" ")[0] for line in lines]
    assert {name: commands.count(name) for name in set(commands)} == {"::error": 10, "::warning": 10, "::notice": 10}
    assert lines[-1].startswith("::notice title=trainc::7 more findings of trainc not shown here")


def test_nothing_is_said_of_more_where_all_are_shown(report: Callable[..., Report]) -> None:
    assert "more" not in render(report(*many(Severity.ERROR, 10)))


def test_a_message_cannot_begin_a_command_of_its_own(report: Callable[..., Report]) -> None:
    assert len(render(report(error("TRN101", "a\r\n::set-env name=x::y", None))).splitlines()) == 1
