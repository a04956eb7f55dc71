"""`trainc verify`: is a bundle what was compiled?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .. import bundle
from . import shared


@click.command(epilog="Example: trainc verify bundle")
@click.argument("folder", metavar="BUNDLE")
def command(folder: str) -> None:
    """Compare every file of BUNDLE with its manifest; a changed, missing or added file is named."""
    faults = bundle.verify(Path(folder))
    if faults:
        shared.print_findings(faults)
        sys.exit(shared.USAGE if faults[0].code == "TRN843" else shared.FINDINGS)
    print(f"{folder}: unchanged")
