"""`trainc check`: the linter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ..bundle import MANIFEST
from . import checking, shared
from .analysing import Spec
from .policy_options import Choices, policy_options


@click.command(epilog="Example: trainc check specs/ --set steps=50")
@click.argument("paths", nargs=-1, required=True)
@shared.params
@policy_options
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How findings are printed.")
@click.option("--watch", "watching", is_flag=True, help="Check again at every change.")
def command(
    paths: tuple[str, ...], sets: tuple[str, ...], params: str | None, choices: Choices, style: str, watching: bool
) -> None:
    """Find every mistake in specs that can be found before a GPU is taken.

    PATHS are specs, folders to search for *.train, or - for standard input. Exits with 1 if there are errors.
    """

    def once() -> checking.Report:
        report = checking.check_all(_specs(paths), shared.settings(sets, params), choices)
        _print(report, style)
        return report

    if not watching:
        sys.exit(once().exit_code)
    from .watch import watch

    # What is wrong with the command line ends it; what becomes wrong with a file later is waited for.
    shared.settings(sets, params)
    watch(once, lambda: _specs(paths), choices, params)


def _specs(paths: tuple[str, ...]) -> list[Spec]:
    return [Spec(file, path if file != path else None) for path in paths for file in _files(path)]


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


def _print(report: checking.Report, style: str) -> None:
    if style == "json":
        from trainc.dsl.render_json import render_json

        print(render_json(report.findings), end="")
    elif report.findings:
        shared.print_findings(report.findings)
    else:
        print(report.headline)
    for remark in report.remarks:
        print(remark, file=sys.stderr if style == "json" else sys.stdout)
