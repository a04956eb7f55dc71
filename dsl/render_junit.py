"""Renders findings as a JUnit report: one suite, a test case for each checked spec.

A case fails where the check would: by errors, and by warnings with `--strict`. What does not fail it is its output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .diagnostics import Diagnostic
from .render_concise import concise
from .render_text import summary
from .report import Checked, Report, place
from .xml_text import escaped, opening


def render(report: Report) -> str:
    """The report as XML."""
    failed = sum(any(map(report.fails, checked.findings)) for checked in report.checked)
    counts = {"tests": len(report.checked), "failures": failed, "errors": 0}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"{opening('testsuites', name='trainc', **counts)}>",
        f"  {opening('testsuite', name='trainc check', skipped=0, **counts)}>",
        *(line for checked in report.checked for line in _case(checked, report)),
        "  </testsuite>",
        "</testsuites>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _case(checked: Checked, report: Report) -> Iterator[str]:
    path = report.path(checked.name)
    head = f"    {opening('testcase', classname='trainc.check', name=path, file=path)}"
    failures = [finding for finding in checked.findings if report.fails(finding)]
    others = [finding for finding in checked.findings if not report.fails(finding)]
    if not checked.findings:
        yield f"{head}/>"
        return
    yield f"{head}>"
    if failures:
        start = opening("failure", type=failures[0].code, message=summary(failures))
        yield f"      {start}>{escaped(_listed(failures, checked, report))}</failure>"
    if others:
        yield f"      <system-out>{escaped(_listed(others, checked, report))}</system-out>"
    yield "    </testcase>"


def _listed(findings: Sequence[Diagnostic], checked: Checked, report: Report) -> str:
    return "\n".join(_line(finding, checked, report) for finding in findings)


def _line(finding: Diagnostic, checked: Checked, report: Report) -> str:
    placed = place(finding, checked.name)
    help = f"\n  help: {finding.help}" if finding.help is not None else ""
    return f"{report.path(placed.file)}:{placed.line}:{placed.column}: {concise(finding)}{help}"
