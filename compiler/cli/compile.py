"""`trainc compile`: the bundle."""

from __future__ import annotations

from pathlib import Path

import click

from .. import bundle
from ..driver import Analysis
from ..emit import emit
from . import shared


@click.command(epilog="Example: trainc compile spec.train -o bundle --set steps=50")
@click.argument("spec")
@click.option("-o", "--output", required=True, type=click.Path(file_okay=False), help="The bundle's folder.")
@shared.params
def command(spec: str, output: str, sets: tuple[str, ...], params: str | None) -> None:
    """Write a bundle of SPEC: generated programs, launch scripts, the runtime, exact requirements; every file hashed."""
    given = shared.settings(sets, params)
    made = build(shared.sound(spec, given), given)
    fault = bundle.write(made, Path(output))
    if fault is not None:
        shared.fail(fault)
    print(f"{output}: {len(made.files)} files, {made.hash[:12]}")


def build(analysis: Analysis, given: dict[str, str]) -> bundle.Bundle:
    """The bundle of a sound spec."""
    assert analysis.plan is not None
    assert analysis.programs is not None
    return emit(analysis.plan, analysis.programs, analysis.library, given)
