"""`trainc check`: the linter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from trainc.dsl.diagnostics import Severity, has_errors
from trainc.dsl.formats import FORMATS
from trainc.dsl.report import Checked

from ..bundle import MANIFEST
from ..loader import UnreadableError
from . import shared
from .output import Shown, show


@click.command(epilog="Example: trainc check specs/ --set steps=50")
@click.argument("paths", nargs=-1, required=True)
@shared.params
@click.option("--strict", is_flag=True, help="Warnings count as findings too.")
@click.option("--format", "style", type=click.Choice(list(FORMATS)), default="text", help="How findings are printed.")
@click.option("--output", metavar="FILE", help="Write the findings to a file; print only their counts.")
@click.option("--fix", is_flag=True, help="Make the fixes that findings have, in the files.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and exit with 1 if it would.")
def command(
    paths: tuple[str, ...],
    sets: tuple[str, ...],
    params: str | None,
    strict: bool,
    style: str,
    output: str | None,
    fix: bool,
    diff: bool,
) -> None:
    """Find every mistake in specs that can be found before a GPU is taken.

    PATHS are specs, folders to search for *.train, or - for standard input. Exits with 1 if there are errors.
    """
    if fix and diff:
        raise click.UsageError("--diff writes nothing: leave --fix out")
    given = shared.settings(sets, params)
    files = list(dict.fromkeys(file for path in paths for file in _files(path)))
    if diff:
        from .fixing import print_diff

        sys.exit(print_diff(files, paths, given))
    if fix:
        from .fixing import fix_files

        checked, readable = fix_files(files, paths, given, Shown(style, output, strict))
    else:
        checked, readable = _checked(files, given)
        show(checked, Shown(style, output, strict))
    if not readable:
        sys.exit(shared.USAGE)
    findings = tuple(finding for spec in checked for finding in spec.findings)
    weighty = has_errors(findings) or (strict and any(finding.severity is Severity.WARNING for finding in findings))
    sys.exit(shared.FINDINGS if weighty else shared.CLEAN)


def _checked(files: list[str], given: dict[str, str]) -> tuple[tuple[Checked, ...], bool]:
    """The findings of each file, and whether all could be read."""
    checked: list[Checked] = []
    readable = True
    for file in files:
        try:
            findings = shared.analyse_path(file, given).findings
        except UnreadableError as fault:
            findings, readable = (fault.finding,), False
        checked.append(Checked(shared.STDIN if file == "-" else file, findings))
    return tuple(checked), readable


def _files(path: str) -> list[str]:
    # os.path answers no where Path would raise: a name too long, or one with a NUL.
    if path != "-" and os.path.isdir(path):
        found = sorted(str(file) for file in Path(path).rglob("*.train") if _is_own(file))
        if not found:
            raise click.UsageError(f"no *.train below {path}")
        return found
    return [path]


def _is_own(file: Path) -> bool:
    """Whether a file is a spec of the user's: no folder, nothing hidden, not the copy inside a bundle."""
    hidden = any(part.startswith(".") and part != ".." for part in file.parts[:-1] if part != ".")
    return file.is_file() and not hidden and not (file.parent.parent / MANIFEST).is_file()
