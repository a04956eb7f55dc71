"""`trainc check --fix` and `--diff`: makes the fixes of findings, in files or as a diff."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.diff_text import unified_diff
from trainc.dsl.report import Checked, unique

from .. import output_errors, whole_file
from ..loader import UnreadableError
from ..mending import Change, Mended, looking, mend
from . import shared
from .output import Shown, show

_BOM = b"\xef\xbb\xbf"


def fix_files(
    files: Sequence[str], paths: Sequence[str], settings: Mapping[str, str], how: Shown
) -> tuple[tuple[Checked, ...], bool]:
    """Makes the fixes, shows what is left and how much that is; standard input's text goes to standard output."""
    outcome, text = _mended(files, paths, settings)
    outcome = _written(outcome)
    if text is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    show(outcome.checked, how, to_stderr="-" in files)
    # Between machines only the report counts.
    for_people = how.style in ("text", "concise") and "-" not in files
    print(_counts(outcome), file=sys.stdout if for_people else sys.stderr)
    return outcome.checked, outcome.readable


def print_diff(files: Sequence[str], paths: Sequence[str], settings: Mapping[str, str]) -> int:
    """Prints what the fixes would change; the exit code says whether that is anything."""
    outcome, _ = _mended(files, paths, settings)
    for change in outcome.changes:
        sys.stdout.buffer.write(
            unified_diff(os.path.relpath(change.path), change.before, change.after).encode("utf-8", "backslashreplace")
        )
    sys.stdout.flush()
    print(_counts(outcome, "would be "), file=sys.stderr)
    if not outcome.readable:
        faults = [finding for spec in outcome.checked for finding in spec.findings if finding.code in ("TRN150", "TRN151")]
        shared.print_findings(faults, to_stderr=True)
        return shared.USAGE
    return shared.FINDINGS if outcome.changes else shared.CLEAN


def _mended(files: Sequence[str], paths: Sequence[str], settings: Mapping[str, str]) -> tuple[Mended, str | None]:
    """What the fixes make of the files below the given paths, and of standard input's text where it is one of them."""
    try:
        texts = {_stdin(): shared.standard_input()} if "-" in files else {}
    except UnreadableError as fault:
        return Mended((), 0, (Checked(shared.STDIN, (fault.finding,)),), readable=False), None
    specs = [shared.STDIN if file == "-" else file for file in files]
    # os.path answers no where Path would raise.
    given = {Path(spec).resolve() for spec in specs if os.path.isfile(spec)}
    roots = [Path(path).resolve() for path in paths if os.path.exists(path)]

    def may_change(path: Path) -> bool:
        # A link in a folder may lead out of it.
        return path in texts or (path in given and any(path.is_relative_to(root) for root in roots))

    outcome = mend(specs, looking(settings), may_change, texts)
    after = {change.path: change.after for change in outcome.changes}
    return outcome, after.get(_stdin(), texts[_stdin()]) if texts else None


def _written(outcome: Mended) -> Mended:
    """Writes the changed files, but for standard input; what cannot be written is a finding of its file."""
    faults = [(change, _write(change)) for change in outcome.changes if change.path != _stdin()]
    failed = tuple(Checked(os.path.relpath(change.path), (fault,)) for change, fault in faults if fault is not None)
    return replace(outcome, checked=(*outcome.checked, *failed), readable=outcome.readable and not failed)


def _counts(outcome: Mended, would: str = "") -> str:
    """How many findings were mended, and how many are left."""
    left = len(unique(outcome.checked))
    return f"{outcome.fixed} {would}fixed, {left} left"


def _write(change: Change) -> Diagnostic | None:
    name = os.path.relpath(change.path)
    try:
        held = change.path.read_bytes()
        mark = _BOM if held.startswith(_BOM) else b""
        if held != mark + change.before.encode():
            return output_errors.cannot_write(name, "it was changed meanwhile")
        whole_file.write(str(change.path), mark + change.after.encode())
    except OSError as fault:
        return output_errors.cannot_write(name, fault.strerror or str(fault))
    return None


def _stdin() -> Path:
    return Path(shared.STDIN).resolve()
