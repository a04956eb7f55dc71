"""`trainc graph`: the stages as a graph."""

from __future__ import annotations

import click

from ..drawings import drawing
from . import shared


@click.command(epilog="Example: trainc graph spec.train --format mermaid")
@click.argument("spec")
@shared.params
@click.option("--format", "style", type=click.Choice(list(drawing.FORMATS)), default="text", help="How it is drawn.")
def command(spec: str, sets: tuple[str, ...], params: str | None, style: str) -> None:
    """Draw the stages of SPEC with the models and data that flow into them."""
    pipeline = shared.sound(spec, shared.settings(sets, params)).elaborated.pipeline
    assert pipeline is not None, "a sound spec has a pipeline"
    print(drawing.FORMATS[style](pipeline))
