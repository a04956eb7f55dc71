"""`trainc fmt`: canonical form."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import click
from trainc.dsl.counting import counted
from trainc.dsl.diagnostics import Diagnostic

from ..cache_file import CacheFile, digest
from ..reading import UnreadableError, decoded, read
from . import shared


@dataclass(frozen=True)
class _Outcome:
    """A file before and after, with what kept it from being read, formatted or written."""

    path: str
    before: bytes
    after: bytes
    findings: tuple[Diagnostic, ...] = ()
    readable: bool = True

    @property
    def changed(self) -> bool:
        return self.after != self.before

    @property
    def name(self) -> str:
        return shared.STDIN if self.path == "-" else self.path


@click.command(epilog="Example: trainc fmt specs/ --check")
@click.argument("paths", nargs=-1, required=True)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; list the files that would change, and exit with 1.")
@click.option("--diff", "only_diff", is_flag=True, help="Write nothing; print the changes, and exit with 1 if there are any.")
def command(paths: tuple[str, ...], only_check: bool, only_diff: bool) -> None:
    """Rewrite specs in canonical form: the one layout that all specs share. Nothing about it can be set.

    PATHS are specs, folders to search for *.train, or - for standard input, which goes to standard output. A file that
    does not parse is left as it is.
    """
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("- stands alone: standard input goes to standard output")
    files = {os.path.abspath(file): file for path in paths for file in shared.specs(path)}
    # The contents that were found canonical, wherever they stood.
    known = CacheFile("canonical.json")
    outcomes = [_formatted(file, known) for file in files.values()]
    known.save()
    if not (only_check or only_diff):
        outcomes = [_written(outcome) for outcome in outcomes]
    elif only_diff:
        _emit("".join(map(_diff, outcomes)))
    else:
        _emit("".join(f"{outcome.name}\n" for outcome in outcomes if outcome.changed))
    _report(outcomes, dry=only_check or only_diff)
    sys.exit(_exit_code(outcomes, dry=only_check or only_diff))


def _formatted(path: str, known: CacheFile) -> _Outcome:
    try:
        before = shared.standard_input() if path == "-" else read(Path(path))
        text = decoded(before, path)
    except UnreadableError as fault:
        return _Outcome(path, b"", b"", (fault.finding,), readable=False)
    key = digest(before)
    if key in known.entries:
        return _Outcome(path, before, before)
    from trainc.dsl.formatter import format_source
    from trainc.dsl.source import Source

    formatted = format_source(Source(shared.STDIN if path == "-" else path, text))
    after = before if formatted.text is None else formatted.text.encode()
    # A text that an editor sends is another at each key, from whatever folder the editor runs in.
    if formatted.text is not None and after == before and path != "-":
        known.keep(key, True)
    return _Outcome(path, before, after, formatted.findings if formatted.text is None else ())


def _written(outcome: _Outcome) -> _Outcome:
    """The outcome once its text is where it belongs, with the finding where that failed."""
    if outcome.path == "-":
        _emit("" if outcome.findings else outcome.after.decode())
        return outcome
    if not outcome.changed:
        return outcome
    from .. import rewrite_errors, whole_file

    try:
        whole_file.write(outcome.path, outcome.after)
    except OSError as fault:
        finding = rewrite_errors.cannot_write(outcome.path, fault.strerror or str(fault))
        return _Outcome(outcome.path, outcome.before, outcome.before, (finding,))
    return outcome


def _diff(outcome: _Outcome) -> str:
    if not outcome.changed:
        return ""
    from trainc.dsl.diff_text import unified_diff

    return unified_diff(outcome.name, outcome.before.decode(), outcome.after.decode())


def _report(outcomes: list[_Outcome], dry: bool) -> None:
    """Prints the findings, and how many files were or would be changed."""
    to_stream = outcomes[0].path == "-"
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    if findings:
        # Not amid the text that an editor reads back.
        shared.print_findings(findings, to_stderr=to_stream and not dry)
    if not to_stream:
        changed = sum(outcome.changed for outcome in outcomes)
        word = "to reformat" if dry else "reformatted"
        counts = f"{counted(changed, 'file')} {word}, {len(outcomes) - changed} left unchanged"
        print(counts, file=sys.stderr if dry else sys.stdout)


def _emit(text: str) -> None:
    # As bytes, so that line ends are nobody's to translate.
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode(errors="surrogateescape"))
    sys.stdout.buffer.flush()


def _exit_code(outcomes: list[_Outcome], dry: bool) -> int:
    if not all(outcome.readable for outcome in outcomes):
        return shared.USAGE
    found = any(outcome.findings or (dry and outcome.changed) for outcome in outcomes)
    return shared.FINDINGS if found else shared.CLEAN
