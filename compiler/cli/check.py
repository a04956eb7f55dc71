"""`trainc check`: the linter."""

from __future__ import annotations

import sys

import click
from trainc.dsl.diagnostics import Diagnostic, Severity, has_errors

from ..reading import UnreadableError
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
    files = [file for path in paths for file in shared.specs(path)]
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


def _print(findings: list[Diagnostic], style: str, count: int) -> None:
    if style == "json":
        from trainc.dsl.render_json import render_json

        print(render_json(findings), end="")
    elif findings:
        shared.print_findings(findings)
    else:
        print(f"{count} spec{'s' if count != 1 else ''} checked, no findings")
