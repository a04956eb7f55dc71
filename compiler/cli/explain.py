"""`trainc explain`: a code's page, or where a value comes from."""

from __future__ import annotations

import os
import sys

import click
from trainc.dsl.diagnostics import has_errors
from trainc.dsl.suggest import closest

from .. import pages
from . import shared


@click.command(epilog="Example: trainc explain TRN201, trainc explain spec.train:pretrain.batch.micro")
@click.argument("subject", metavar="CODE|SPEC:FIELD")
@shared.params
def command(subject: str, sets: tuple[str, ...], params: str | None) -> None:
    """Say what CODE means, why it matters and what to do; or where the value of FIELD in SPEC comes from."""
    spec, field = _split(subject)
    if field:
        _explain_field(spec, field, shared.settings(sets, params))
        return
    if spec:
        raise click.UsageError(f"name a field too, as in {spec}:pretrain.batch.micro")
    if sets or params:
        raise click.UsageError("--set and --params go with SPEC:FIELD")
    page = pages.page(subject.upper())
    if page is None and (other := pages.RETIRED.get(subject.upper())) is not None:
        print(f"{subject.upper()} is no longer made; see {other}")
        return
    if page is None:
        raise click.UsageError(f"no code {subject}{_hint(subject.upper(), pages.codes())}")
    print(page.text)


def _split(subject: str) -> tuple[str, str]:
    """The spec and the field of a subject; neither where it is a code."""
    if os.path.isfile(subject):
        return subject, ""
    # Files and the records of imported ones may both hold a colon: the first split that names a file is meant.
    splits = [(subject[:at], subject[at + 1 :]) for at, char in enumerate(subject) if char == ":"]
    found = next((split for split in splits if split[0] == "-" or os.path.isfile(split[0])), None)
    return found or (splits[-1] if splits else ("", ""))


def _explain_field(spec: str, field: str, given: dict[str, str]) -> None:
    from .. import provenance

    analysis = shared.analysed(spec, given)
    text = provenance.explain_field(analysis, field)
    if text is not None:
        print(text)
        return
    if has_errors(analysis.findings):
        shared.print_findings(analysis.findings)
        sys.exit(shared.FINDINGS)
    near = provenance.meant(analysis.elaborated, field)
    known = f"did you mean {near}?" if near else provenance.nearest_fields(analysis.elaborated, field)
    raise click.UsageError(f"{spec} has no field `{field}`; {known}")


def _hint(name: str, candidates: list[str]) -> str:
    suggestion = closest(name, candidates)
    return f"; did you mean {suggestion}?" if suggestion else ""
