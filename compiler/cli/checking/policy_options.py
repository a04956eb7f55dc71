"""The options of `trainc check` that say which findings count."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

SEVERITIES = ("note", "warning", "error")


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command line says; None and empty leave it to the project's settings."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    least: str = "note"
    strict: bool | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None
    changed_since: str | None = None
    cache: bool = True


def policy_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options, and hands them to the command as its `choices`."""

    @functools.wraps(command)
    def packed(
        *,
        select: tuple[str, ...],
        ignore: tuple[str, ...],
        least: str,
        strict: bool | None,
        baseline: Path | None,
        write_baseline: Path | None,
        changed_since: str | None,
        no_cache: bool,
        **others: Any,
    ) -> None:
        choices = Choices(_codes(select), _codes(ignore), least, strict, baseline, write_baseline, changed_since, not no_cache)
        command(choices=choices, **others)

    for option in reversed(_OPTIONS):
        packed = option(packed)
    return packed


def _codes(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code for entry in given for part in entry.split(",") if (code := part.strip().upper()))


_FILE = click.Path(dir_okay=False, path_type=Path)
_OPTIONS = (
    click.option("--select", metavar="CODES", multiple=True, help="Report only these, as in TRN303,TRN2."),
    click.option("--ignore", metavar="CODES", multiple=True, help="Do not report these."),
    click.option(
        "--min-severity",
        "least",
        type=click.Choice(SEVERITIES),
        default="note",
        metavar="LEVEL",
        help="The least to report: note, warning, error.",
    ),
    click.option("--strict/--no-strict", default=None, help="Warnings count as errors do."),
    click.option("--baseline", metavar="FILE", type=_FILE, help="Leave out the findings in FILE."),
    click.option("--write-baseline", metavar="FILE", type=_FILE, help="Write what is found into FILE."),
    click.option("--no-cache", is_flag=True, help="Analyse unchanged clean specs too."),
    click.option("--changed-since", metavar="REV", help="Only specs that changed since, by git."),
)
