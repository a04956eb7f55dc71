"""Renders findings as SARIF 2.1.0, which GitHub's code scanning and many viewers read.

GitHub keeps the 5,000 heaviest results of a run, so no more are written; a notification says how many were left out.
"""

from __future__ import annotations

import hashlib
import json
from urllib.parse import quote

from .diagnostics import Diagnostic, Fix, Severity
from .report import Placed, Report, named_by_content
from .source import Span
from .version import VERSION

# GitHub's documented limits on what it shows of a run, of a result and of a rule.
MAX_RESULTS = 5_000
MAX_RELATED = 99
MAX_TEXT = 1_024

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_WEIGHT = list(_LEVELS)


def render(report: Report) -> str:
    """The findings as a SARIF log with one run."""
    run = _run(report)
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _run(report: Report) -> dict[str, object]:
    heaviest = sorted(report.placed, key=lambda placed: _WEIGHT.index(placed.finding.severity))
    kept, left_out = tuple(heaviest[:MAX_RESULTS]), len(heaviest[MAX_RESULTS:])
    codes = sorted({placed.finding.code for placed in kept})
    levels = {placed.finding.code: _LEVELS[placed.finding.severity] for placed in reversed(kept)}
    rules = [_rule(code, levels[code], report) for code in codes]
    driver = {"name": "trainc", "version": VERSION, "semanticVersion": VERSION, "rules": rules}
    invocation: dict[str, object] = {"executionSuccessful": True}
    if left_out:
        invocation["toolExecutionNotifications"] = [_left_out(left_out)]
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        # Without a URI of its own: the consumer knows where the sources lie, and a log is the same on every machine.
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder in which trainc was called."}}},
        "invocations": [invocation],
        "results": [
            _result(placed, name, codes.index(placed.finding.code), report) for placed, name in named_by_content(kept, report)
        ],
    }


def _rule(code: str, level: str, report: Report) -> dict[str, object]:
    described: dict[str, object] = {"id": code, "defaultConfiguration": {"level": level}}
    page = report.page(code)
    if page is not None:
        described["shortDescription"] = {"text": _cut(page.title)}
        described["fullDescription"] = {"text": _cut(page.why)}
        described["help"] = {"text": page.text, "markdown": f"```text\n{page.text}\n```"}
    described["properties"] = {"tags": ["trainc"], "precision": "very-high", "problem.severity": _problem(level)}
    return described


def _result(placed: Placed, name: str, index: int, report: Report) -> dict[str, object]:
    finding = placed.finding
    text = finding.message if finding.help is None else f"{finding.message}\nhelp: {finding.help}"
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [_location(placed.file, placed.span, report)],
        "partialFingerprints": {"trainc/v1": hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()},
    }
    if related := _related(finding, placed, report):
        result["relatedLocations"] = related
    if finding.fix is not None and (fix := _fix(finding.fix, report)):
        result["fixes"] = [fix]
    return result


def _related(finding: Diagnostic, placed: Placed, report: Report) -> list[dict[str, object]]:
    """The other places; one in the standard library has no file to show, so its text alone says where it is."""
    others = [(related.span, related.message) for related in finding.related if related.span != placed.span]
    if finding.primary is not None and finding.primary != placed.span:
        others.insert(0, (finding.primary, "the finding's own place"))
    return [
        {"id": number, **_location(span.source.name if span.source.is_file else None, span, report, text)}
        for number, (span, text) in enumerate(others[:MAX_RELATED], start=1)
    ]


def _location(file: str | None, span: Span | None, report: Report, text: str | None = None) -> dict[str, object]:
    if file is None:
        return {"message": {"text": f"{text} ({span})"}}
    physical: dict[str, object] = {"artifactLocation": _artifact(file, report)}
    if span is not None:
        physical["region"] = _region(span)
    message: dict[str, object] = {} if text is None else {"message": {"text": text}}
    return {"physicalLocation": physical, **message}


def _artifact(file: str, report: Report) -> dict[str, object]:
    path = report.path(file)
    # The bytes of a name, for it need not be valid text.
    encoded = quote(path.encode("utf-8", "surrogateescape"))
    if path.startswith("/"):
        return {"uri": f"file://{encoded}"}
    return {"uri": encoded, "uriBaseId": _ROOT}


def _region(span: Span) -> dict[str, object]:
    source = span.source
    end = {"endLine": source.line_of(span.end), "endColumn": source.column_of(span.end)}
    return {"startLine": span.line, "startColumn": span.column, **end}


def _fix(fix: Fix, report: Report) -> dict[str, object] | None:
    if not all(edit.span.source.is_file for edit in fix.edits):
        return None
    files = dict.fromkeys(edit.span.source.name for edit in fix.edits)
    changes = [
        {
            "artifactLocation": _artifact(file, report),
            "replacements": [
                {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
                for edit in fix.edits
                if edit.span.source.name == file
            ],
        }
        for file in files
    ]
    return {"description": {"text": fix.message}, "artifactChanges": changes}


def _left_out(count: int) -> dict[str, object]:
    text = f"{count} more findings were left out, the lightest first: GitHub keeps {MAX_RESULTS} of a run."
    return {"level": "warning", "message": {"text": text}}


def _problem(level: str) -> str:
    return "recommendation" if level == "note" else level


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
