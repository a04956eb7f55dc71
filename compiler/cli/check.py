"""`trainc check`: the linter."""

from __future__ import annotations

import sys
from dataclasses import replace

import click
from trainc.dsl.formats import FORMATS

from . import shared
from .checking import rounds
from .checking.analysing import Spec
from .checking.output import Shown, show
from .checking.policy_options import Choices, policy_options


@click.command(epilog="Example: trainc check specs/ --set steps=50")
@click.argument("paths", nargs=-1, required=True)
@shared.params
@policy_options
@click.option("--format", "style", type=click.Choice(list(FORMATS)), default="text", help="How findings are printed.")
@click.option("--output", metavar="FILE", help="Write the findings to a file; print only their counts.")
@click.option("--fix", is_flag=True, help="Make the fixes that findings have, in the files.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and exit with 1 if it would.")
@click.option("--watch", "watching", is_flag=True, help="Check again at every change.")
def command(
    paths: tuple[str, ...],
    sets: tuple[str, ...],
    params: str | None,
    choices: Choices,
    style: str,
    output: str | None,
    fix: bool,
    diff: bool,
    watching: bool,
) -> None:
    """Find every mistake in specs that can be found before a GPU is taken.

    PATHS are specs, folders to search for *.train, or - for standard input. Exits with 1 if there are errors.
    """
    _refuse_together(fix=fix, diff=diff, watch=watching, output=output is not None and diff)
    _refuse_together(fix=fix, diff=diff, write_baseline=choices.write_baseline is not None)
    how = Shown(style, output)
    if fix or diff:
        from .checking import fixing

        change = fixing.fix_files if fix else fixing.print_diff
        sys.exit(change(_specs(paths), paths, shared.settings(sets, params), choices, how))

    def once() -> rounds.Round:
        found = rounds.check_all(_specs(paths), shared.settings(sets, params), choices)
        show(found.checked, replace(how, strict=found.strict, nothing=found.nothing), remarks=found.remarks)
        return found

    if not watching:
        sys.exit(once().exit_code)
    from .checking.watch import watch

    # What is wrong with the command line ends it; what becomes wrong with a file later is waited for.
    shared.settings(sets, params)
    watch(once, lambda: _specs(paths), choices, params)


def _refuse_together(**options: bool) -> None:
    given = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    if len(given) > 1:
        raise click.UsageError(f"{given[0]} and {given[1]} do not go together")


def _specs(paths: tuple[str, ...]) -> list[Spec]:
    return [Spec(file, path if file != path else None) for path in paths for file in shared.specs(path)]
