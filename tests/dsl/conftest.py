from __future__ import annotations

from collections.abc import Callable

import pytest
from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, Related, Severity, error
from trainc.dsl.report import Checked, Report, RulePage
from trainc.dsl.source import Source, Span

MakeReport = Callable[..., Report]

SPEC = Source("specs/a b,c:d.train", "## Größe\nmesh m {\n  tp = 16, pp 2\n}\n")
STANDARD = Source("std.gpus", "gpu host { memory = 8 GB }\n", is_file=False)


def place(source: Source, text: str) -> Span:
    start = source.text.index(text)
    return Span(source, start, start + len(text))


def page(code: str) -> RulePage | None:
    return RulePage(f"what {code} means", "w" * 2000, f"the page of {code}") if code != "TRN999" else None


def everything() -> tuple[Diagnostic, ...]:
    """One of each sort: with everything, over lines, in the standard library with and without a place of the user, nowhere."""
    fix = Fix("insert `=`", (Edit(Span(SPEC, place(SPEC, "pp").end, place(SPEC, "pp").end), " ="),))
    own = Related(place(SPEC, "tp = 16"), "asked for here")
    return (
        error("TRN003", "expected `=`\nafter `pp`: 100%", place(SPEC, "2"), Related(place(SPEC, "pp"), "this"), help="h", fix=fix),
        Diagnostic("TRN212", Severity.WARNING, "the whole <mesh> & \x1b[31m\x00 more", place(SPEC, "mesh m {\n  tp")),
        Diagnostic("TRN702", Severity.NOTE, "too small", place(STANDARD, "8 GB"), (own,)),
        error("TRN401", "too old", place(STANDARD, "host")),
        error("TRN110", "no param `x`", None, help="the spec declares no `param`"),
        error("TRN999", "of no page", Span(Source("--set n", "1 +", is_file=False), 2, 3)),
    )


@pytest.fixture
def report() -> MakeReport:
    """A report of one spec with some findings, those of every sort unless others are given."""

    def make(*findings: Diagnostic, strict: bool = False) -> Report:
        return Report((Checked(SPEC.name, findings or everything()), Checked("clean.train", ())), "/repo", page, strict)

    return make
