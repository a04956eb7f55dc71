"""`trainc explain`: a code's page, or where a value comes from."""

from __future__ import annotations

import sys

import click
from trainc.dsl.diagnostics import has_errors
from trainc.dsl.suggest import closest

from .. import pages, provenance
from . import shared


@click.command(epilog="Example: trainc explain TRN201, trainc explain spec.train:pretrain.batch.micro")
@click.argument("subject", metavar="CODE|SPEC:FIELD")
@shared.params
def command(subject: str, sets: tuple[str, ...], params: str | None) -> None:
    """Say what CODE means, why it matters and what to do; or where the value of FIELD in SPEC comes from."""
    spec, colon, field = subject.rpartition(":")
    if colon:
        _explain_field(spec, field, shared.settings(sets, params))
        return
    if sets or params:
        raise click.UsageError("--set and --params go with SPEC:FIELD")
    page = pages.page(subject.upper())
    if page is None:
        raise click.UsageError(f"no code {subject}{_hint(subject.upper(), pages.codes())}")
    print(page.text)


def _explain_field(spec: str, field: str, given: dict[str, str]) -> None:
    analysis = shared.analysed(spec, given)
    text = provenance.explain_field(analysis.elaborated, field)
    if text is not None:
        print(text)
        return
    if has_errors(analysis.findings):
        shared.print_findings(analysis.findings)
        sys.exit(shared.FINDINGS)
    raise click.UsageError(f"{spec} has no field `{field}`{_hint(field, provenance.fields(analysis.elaborated))}")


def _hint(name: str, candidates: list[str]) -> str:
    suggestion = closest(name, candidates)
    return f"; did you mean {suggestion}?" if suggestion else ""
