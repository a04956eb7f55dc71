"""`trainc check --watch`: checks again whenever a file changes that a check read, or another spec appears."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import click

from ...policy.settings_files import OWN
from ...reading import Stamp, stamp
from ...uses import located
from .. import shared
from . import verdict
from .analysing import Spec
from .policy_options import Choices
from .rounds import Round

POLL_SECONDS = 0.3
CLEAR = "\033[2J\033[H"


def watch(check: Callable[[], Round], specs: Callable[[], Sequence[Spec]], choices: Choices, params: str | None) -> None:
    """Runs `check` at every change until Ctrl-C; `specs` are those that are there now."""
    _refuse(specs(), choices)
    files = {Path(params)} if params else set[Path]()
    try:
        while True:
            files = _round(check, specs, files)
    except KeyboardInterrupt:
        print(file=sys.stderr)


def _refuse(specs: Sequence[Spec], choices: Choices) -> None:
    """Ends the command where no change of a file could mend what is wrong."""
    if any(spec.path == "-" for spec in specs):
        raise click.UsageError("--watch goes with files, not with standard input")
    if choices.write_baseline is not None:
        raise click.UsageError("--watch would write the baseline anew at every change: give --baseline, or leave --watch out")
    faults = tuple(verdict.faults(choices))
    if faults:
        shared.print_findings(faults)
        sys.exit(shared.USAGE)


def _round(check: Callable[[], Round], specs: Callable[[], Sequence[Spec]], known: set[Path]) -> set[Path]:
    """One check and the wait for a reason to check again; the files that are known to matter by then."""
    # Taken before the check: what is written while it runs must not be missed.
    before, started = _stamps({*known, *_present(specs)}), time.time_ns()
    if sys.stdout.isatty():
        print(CLEAR, end="")
    files = known | _checked(check)
    print(f"watching {len(files)} files; Ctrl-C ends", file=sys.stderr, flush=True)
    stamps = {**_stamps(files), **before}
    # An import that is met for the first time has no stamp from before; one as young as this check is read again, once.
    if any(stamp is not None and stamp[0] >= started for file, stamp in stamps.items() if file not in before):
        return files
    while _stamps({*stamps, *_present(specs)}) == stamps:
        time.sleep(POLL_SECONDS)
    return files


def _checked(check: Callable[[], Round]) -> set[Path]:
    try:
        report = check()
    except click.UsageError as fault:
        # The last spec of a folder was deleted, or the file of params is being written.
        print(f"Error: {fault.format_message()}", file=sys.stderr)
        return set()
    finally:
        sys.stdout.flush()
    return {*report.files, *(file.parent / OWN for file in report.files)}


def _present(specs: Callable[[], Sequence[Spec]]) -> Iterable[Path]:
    try:
        return [located(spec.path) for spec in specs()]
    except click.UsageError:
        return []


def _stamps(files: Iterable[Path]) -> Mapping[Path, Stamp]:
    return {file: stamp(file) for file in files}
