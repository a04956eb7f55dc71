"""`trainc show`: the resolved spec."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from trainc.dsl.diagnostics import Diagnostic, has_errors

from ..runs.sample import sample
from ..show import FORMAT_VERSION, origins_json, show_json, show_text
from ..whence import Origination
from . import shared
from .compile import build


@click.command(epilog="Example: trainc show spec.train --stage pretrain --origins")
@click.argument("spec")
@shared.params
@click.option("--stage", help="Only this stage.")
@click.option("--origins", is_flag=True, help="Say beside each value where it comes from.")
@click.option(
    "--data", "rows", type=click.IntRange(min=1), help="Show so many rows of the data as tokens, with those that are learnt."
)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="`.train` text or JSON.")
def command(
    spec: str, sets: tuple[str, ...], params: str | None, stage: str | None, origins: bool, rows: int | None, style: str
) -> None:
    """Print SPEC resolved: imports, params and amends worked in, every default visible."""
    given = shared.settings(sets, params)
    if rows is not None:
        if origins or style == "json":
            raise click.UsageError("--data prints tokens: leave --origins and --format out")
        _print_sample(spec, given, stage, rows)
        return
    analysis = shared.analysed(spec, given)
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


def _print_sample(spec: str, given: dict[str, str], stage: str | None, rows: int) -> None:
    analysis = shared.sound(spec, given)
    programs = [program for program in analysis.programs or () if stage in (None, program.stage.name)]
    if not programs:
        raise click.UsageError(f"no stage `{stage}`")
    made = build(analysis, given)
    shown = sample(made, f"stages/{programs[0].folder}", Path(spec).resolve().parent, rows)
    if isinstance(shown, Diagnostic):
        shared.fail(shown)
    print(shown)
