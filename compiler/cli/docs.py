"""`trainc docs`: the language reference in a terminal."""

from __future__ import annotations

import click
from trainc.dsl.suggest import closest

from .. import reference


@click.command(epilog="Example: trainc docs fsdp2")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Describe the kind, part or variant NAME field by field; without NAME, list them all."""
    shapes = reference.everything()
    if name is None:
        print("\n".join(shapes))
        return
    if name not in shapes:
        suggestion = closest(name, shapes)
        raise click.UsageError(f"no kind or variant `{name}`" + (f"; did you mean `{suggestion}`?" if suggestion else ""))
    print(reference.text(name))
