"""`trainc check --fix` and `--diff`: makes the fixes of findings, in files or as a diff."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic, has_errors
from trainc.dsl.diff_text import unified_diff
from trainc.dsl.report import Checked, unique

from ... import rewrite_errors, whole_file
from ...driver import analyse
from ...mending import Change, Look, Looking, Mended, mend, texts
from ...policy.judgement import judge
from ...policy.settings_files import SettingsError
from ...reading import UnreadableError, decoded
from .. import shared
from . import rounds, verdict
from .analysing import Spec
from .output import FOR_PEOPLE, Shown, show
from .policy_options import Choices

_BOM = b"\xef\xbb\xbf"


def fix_files(specs: Sequence[Spec], paths: Sequence[str], given: dict[str, str], choices: Choices, how: Shown) -> int:
    """Makes the fixes, shows what is left and how much that is; standard input's text goes to standard output."""
    piped = any(spec.path == "-" for spec in specs)
    outcome, text = _mended(specs, paths, given, choices)
    outcome = _written(outcome)
    if text is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    # Looked at once more as a check does, but for standard input, which is read.
    found = rounds.check_all(specs, given, choices) if not piped else _as_left(outcome)
    show(found.checked, replace(how, strict=found.strict), to_stderr=piped, remarks=found.remarks)
    # Between machines only the report counts.
    print(_counts(outcome.fixed, found.checked), file=sys.stdout if how.style in FOR_PEOPLE and not piped else sys.stderr)
    return found.exit_code if outcome.readable else shared.USAGE


def print_diff(specs: Sequence[Spec], paths: Sequence[str], given: dict[str, str], choices: Choices, how: Shown) -> int:
    """Prints what the fixes would change; the exit code says whether that is anything."""
    outcome, _ = _mended(specs, paths, given, choices)
    for change in outcome.changes:
        text = unified_diff(os.path.relpath(change.path), change.before, change.after)
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()
    print(_counts(outcome.fixed, outcome.checked, "would be "), file=sys.stderr)
    if not outcome.readable:
        faults = [finding for spec in outcome.checked for finding in spec.findings if finding.code in ("TRN150", "TRN151")]
        shared.print_findings(faults, to_stderr=True)
        return shared.USAGE
    return shared.FINDINGS if outcome.changes else shared.CLEAN


def _as_left(outcome: Mended) -> rounds.Round:
    failed = has_errors(finding for spec in outcome.checked for finding in spec.findings)
    return rounds.Round(shared.FINDINGS if failed else shared.CLEAN, outcome.checked)


def _mended(specs: Sequence[Spec], paths: Sequence[str], given: Mapping[str, str], choices: Choices) -> tuple[Mended, str | None]:
    """What the fixes make of the files below the given paths, and of standard input's text where it is one of them."""
    try:
        piped = {_stdin(): decoded(shared.standard_input(), "-")} if any(spec.path == "-" for spec in specs) else {}
    except UnreadableError as fault:
        return Mended((), 0, (Checked(shared.STDIN, (fault.finding,)),), readable=False), None
    names = list(dict.fromkeys(spec.name for spec in specs))
    # os.path answers no where Path would raise.
    files = {Path(name).resolve() for name in names if os.path.isfile(name)}
    roots = [Path(path).resolve() for path in paths if os.path.exists(path)]

    def may_change(path: Path) -> bool:
        # A link in a folder may lead out of it.
        return path in piped or (path in files and any(path.is_relative_to(root) for root in roots))

    outcome = mend(names, looking(given, choices), may_change, piped)
    after = {change.path: change.after for change in outcome.changes}
    return outcome, after.get(_stdin(), piped[_stdin()]) if piped else None


def looking(given: Mapping[str, str], choices: Choices) -> Looking:
    """Looks at specs as a check does: what is not to be reported is not mended."""

    def look(spec: str, edited: Mapping[Path, str]) -> Look:
        try:
            policy = verdict.merged(verdict.project_of(spec), choices)
            analysis = analyse(Path(spec), given, edited=edited, fixed=policy.fixed)
        except SettingsError as fault:
            return Look(fault.findings, {}, readable=False)
        except UnreadableError as fault:
            return Look((fault.finding,), {}, readable=False)
        judged = judge(analysis.findings, policy)
        others = (replace(finding, fix=None) for finding in judged.unselected)
        return Look((*judged.shown, *others), texts(analysis.library))

    return look


def _written(outcome: Mended) -> Mended:
    """Writes the changed files, but for standard input; what cannot be written is a finding of its file."""
    faults = [(change, _write(change)) for change in outcome.changes if change.path != _stdin()]
    failed = tuple(Checked(os.path.relpath(change.path), (fault,)) for change, fault in faults if fault is not None)
    return replace(outcome, checked=(*outcome.checked, *failed), readable=outcome.readable and not failed)


def _counts(fixed: int, checked: Sequence[Checked], would: str = "") -> str:
    """How many findings were mended, and how many are left."""
    return f"{fixed} {would}fixed, {len(unique(checked))} left"


def _write(change: Change) -> Diagnostic | None:
    name = os.path.relpath(change.path)
    try:
        held = change.path.read_bytes()
        mark = _BOM if held.startswith(_BOM) else b""
        if held != mark + change.before.encode():
            return rewrite_errors.cannot_write(name, "it was changed meanwhile")
        whole_file.write(str(change.path), mark + change.after.encode())
    except OSError as fault:
        return rewrite_errors.cannot_write(name, fault.strerror or str(fault))
    return None


def _stdin() -> Path:
    return Path(shared.STDIN).resolve()
