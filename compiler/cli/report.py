"""`trainc report`: what a run did."""

from __future__ import annotations

from pathlib import Path

import click
from trainc.dsl.diagnostics import Diagnostic

from ..runs import record, report, summary
from . import shared


@click.command(epilog="Example: trainc report runs/quickstart/20261130-051439-1a2b3c4d")
@click.argument("run", type=click.Path(file_okay=False))
@click.option("--format", "style", type=click.Choice(["text", "html"]), default="text", help="A table, or a whole page.")
def command(run: str, style: str) -> None:
    """Show a run's losses, throughput, memory predicted and measured, and incidents."""
    found = record.load(Path(run))
    if isinstance(found, Diagnostic):
        shared.fail(found, shared.USAGE)
    print(report.html(found) if style == "html" else summary.text(found))
