"""`trainc schema`: the JSON Schema of a resolved spec."""

from __future__ import annotations

import json

import click

from ..json_schema import json_schema


@click.command(epilog="Example: trainc schema > spec.schema.json")
def command() -> None:
    """Print the JSON Schema (2020-12) of what `trainc show --format json` prints."""
    print(json.dumps(json_schema(), indent=2, ensure_ascii=False))
