"""The templates of bundles: they print decisions and take none."""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path

import jinja2

from ..units import format_gib

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
    made.filters |= {"quote": lambda value: shlex.quote(str(value)), "gib": format_gib, "count": format_count}
    return made


def format_count(value: int) -> str:
    """A count for people: `1.1M`, `70.6B`."""
    for factor, letter in ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k")):
        if value >= factor:
            return f"{value / factor:.1f}{letter}"
    return str(value)
