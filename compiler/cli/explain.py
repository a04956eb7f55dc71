"""`trainc explain`: a code's page."""

from __future__ import annotations

import sys

import click
from trainc.dsl.suggest import closest

from .. import pages
from . import shared


@click.command(epilog="Example: trainc explain TRN201")
@click.argument("code")
def command(code: str) -> None:
    """Say what CODE means, why it matters, and what to do."""
    page = pages.page(code.upper())
    if page is None:
        suggestion = closest(code.upper(), pages.codes())
        raise click.UsageError(f"no code {code}" + (f"; did you mean {suggestion}?" if suggestion else ""))
    print(page.text)
    sys.exit(shared.CLEAN)
