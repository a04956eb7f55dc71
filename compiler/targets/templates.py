"""The templates of bundles: they print decisions and take none."""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path

import jinja2

from ..units import format_count, format_gib

FOLDER = Path(__file__).parent


@cache
def environment() -> jinja2.Environment:
    """Templates below this folder; `quote` is the one way for a value into a shell script."""
    loader = jinja2.FileSystemLoader([FOLDER / "shared", FOLDER])
    # Nothing here is HTML: values go into Python comments, Markdown, and through `quote` into shell scripts.
    made = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    made.keep_trailing_newline = True
    made.filters |= {"quote": lambda value: shlex.quote(str(value)), "gib": format_gib, "count": _count}
    return made


def _count(value: int | None) -> str:
    return "as the data makes" if value is None else format_count(value)
