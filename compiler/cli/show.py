"""`trainc show`: the resolved spec."""

from __future__ import annotations

import json
import sys

import click
from trainc.dsl.diagnostics import has_errors

from ..show import FORMAT_VERSION, origins_json, show_json, show_text
from ..whence import Origination
from . import shared


@click.command(epilog="Example: trainc show spec.train --stage pretrain --origins")
@click.argument("spec")
@shared.params
@click.option("--stage", help="Only this stage.")
@click.option("--origins", is_flag=True, help="Say beside each value where it comes from.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="`.train` text or JSON.")
def command(spec: str, sets: tuple[str, ...], params: str | None, stage: str | None, origins: bool, style: str) -> None:
    """Print SPEC resolved: imports, params and amends worked in, every default visible."""
    analysis = shared.analysed(spec, shared.settings(sets, params))
    if has_errors(analysis.findings):
        shared.print_findings(analysis.findings)
        sys.exit(shared.FINDINGS)
    pipeline = analysis.elaborated.pipeline
    stages = [entry for entry in pipeline.stages if stage in (None, entry.name)] if pipeline else []
    if not stages:
        raise click.UsageError(f"no stage `{stage}`" if stage else "the spec has no stage")
    origination = Origination(analysis.elaborated.origins, analysis.library) if origins else None
    if style == "json":
        said = {"origins": origins_json(stages, origination)} if origination is not None else {}
        print(json.dumps({"format_version": FORMAT_VERSION, "stages": show_json(stages), **said}, indent=2))
    else:
        print(show_text(stages, origination))
