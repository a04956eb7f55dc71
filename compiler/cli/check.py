"""`trainc check`: the linter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from trainc.dsl.diagnostics import Diagnostic, Severity, has_errors

from ..bundle import MANIFEST
from ..loader import UnreadableError
from . import shared


@click.command(epilog="Example: trainc check specs/ --set steps=50")
@click.argument("paths", nargs=-1, required=True)
@shared.params
@click.option("--strict", is_flag=True, help="Warnings count as findings too.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How findings are printed.")
def command(paths: tuple[str, ...], sets: tuple[str, ...], params: str | None, strict: bool, style: str) -> None:
    """Find every mistake in specs that can be found before a GPU is taken.

    PATHS are specs, folders to search for *.train, or - for standard input. Exits with 1 if there are errors.
    """
    given = shared.settings(sets, params)
    findings: list[Diagnostic] = []
    files = [file for path in paths for file in _files(path)]
    unreadable = False
    for file in files:
        try:
            findings += shared.analyse_path(file, given).findings
        except UnreadableError as fault:
            findings.append(fault.finding)
            unreadable = True
    _print(findings, style, len(files))
    if unreadable:
        sys.exit(shared.USAGE)
    weighty = has_errors(findings) or (strict and any(finding.severity is Severity.WARNING for finding in findings))
    sys.exit(shared.FINDINGS if weighty else shared.CLEAN)


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


def _print(findings: list[Diagnostic], style: str, count: int) -> None:
    if style == "json":
        from trainc.dsl.render_json import render_json

        print(render_json(findings), end="")
    elif findings:
        shared.print_findings(findings)
    else:
        print(f"{count} spec{'s' if count != 1 else ''} checked, no findings")
