"""`trainc diff`: what changed in meaning."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import NoReturn

import click
from trainc.dsl.diagnostics import Diagnostic

from ..diff import wording
from ..diff.compare import compare
from ..diff.sides import Opened, Side, open_side, read_side
from ..reading import UnreadableError
from . import shared

DIFFERENT = 1


@click.command(epilog="Example: trainc diff HEAD:spec.train spec.train")
@click.argument("old")
@click.argument("new")
@shared.params
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="For people or programs.")
def command(old: str, new: str, sets: tuple[str, ...], params: str | None, style: str) -> None:
    """Say what changed in meaning between two specs, and what that does to a run that has begun.

    OLD and NEW are files, files of a git revision (REV:FILE), or bundles. Layout, comments, order and the names of lets do not
    count. Exits with 0 if both mean the same, 1 if not, 2 if one cannot be read or has errors.
    """
    given = shared.settings(sets, params)
    opened = [_opened(subject, style) for subject in (old, new)]
    if given and all(side.settings is not None for side in opened):
        raise click.UsageError("bundles are compiled already: --set and --params go with a spec")
    before, after = (_read(side, _meant(given, side, opened), style) for side in opened)
    found = compare(before, after)
    print(json.dumps(wording.json_value(found), indent=2, ensure_ascii=False) if style == "json" else wording.text(found))
    sys.exit(shared.CLEAN if found.same else DIFFERENT)


def _meant(given: Mapping[str, str], side: Opened, both: list[Opened]) -> dict[str, str]:
    """The settings of a side: those that it knows, and those that neither does, which are then a finding."""
    known = frozenset[str]().union(*(one.params for one in both if one.settings is None))
    return {name: value for name, value in given.items() if name in side.params or name not in known}


def _opened(subject: str, style: str) -> Opened:
    try:
        side = open_side(subject)
    except UnreadableError as fault:
        _end((fault.finding,), style)
    return side if isinstance(side, Opened) else _end(side, style)


def _read(opened: Opened, given: dict[str, str], style: str) -> Side:
    side = read_side(opened, given)
    return side if isinstance(side, Side) else _end(side, style)


def _end(findings: tuple[Diagnostic, ...], style: str) -> NoReturn:
    """Prints why there is nothing to compare."""
    if style == "json":
        from trainc.dsl.render_json import render_json

        print(render_json(findings), end="")
    else:
        shared.print_findings(findings)
    sys.exit(shared.USAGE)
