"""What commands share: reading params, analysing a spec, printing findings.

What only some commands need is imported where they come to need it: start-up is most of what a short command costs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
from trainc.dsl.diagnostics import Diagnostic, has_errors

from ..reading import UnreadableError, decoded

if TYPE_CHECKING:
    from ..driver import Analysis

CLEAN, FINDINGS, USAGE = 0, 1, 2
# What standard input is called in findings.
STDIN = "stdin.train"

Command = TypeVar("Command", bound=Callable[..., Any])


def params(command: Command) -> Command:
    """Adds `--set` and `--params`."""
    command = click.option("--set", "sets", metavar="NAME=VALUE", multiple=True, help="Give a param a value.")(command)
    return click.option("--params", type=click.Path(dir_okay=False), help="Values of params, as a JSON object.")(command)


def settings(sets: Iterable[str], params: str | None) -> dict[str, str]:
    """The values given to params; `--set` wins over the file."""
    given: dict[str, str] = _read_params(params) if params else {}
    for entry in sets:
        name, equals, value = entry.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"--set takes NAME=VALUE, not `{entry}`")
        given[name.strip()] = value
    return given


def _read_params(path: str) -> dict[str, str]:
    import json

    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        raise click.UsageError(f"cannot read --params {path}: {fault}") from fault
    if not isinstance(content, dict):
        raise click.UsageError(f"--params {path} holds no JSON object")
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in content.items()}


def specs(path: str) -> list[str]:
    """The specs that a path names: all `*.train` below a folder, else the path itself."""
    # os.path answers no where Path would raise: a name too long, or one with a NUL.
    if path != "-" and os.path.isdir(path):
        found = sorted(str(file) for file in Path(path).rglob("*.train") if _is_own(file))
        if not found:
            raise click.UsageError(f"no *.train below {path}")
        return found
    return [path]


def _is_own(file: Path) -> bool:
    """Whether a file is a spec of the user's: no folder, nothing hidden, not the copy inside a bundle."""
    from ..bundle import MANIFEST

    hidden = any(part.startswith(".") and part != ".." for part in file.parts[:-1] if part != ".")
    return file.is_file() and not hidden and not (file.parent.parent / MANIFEST).is_file()


def analyse_path(path: str, given: dict[str, str], root: Path | None = None, fixed: Collection[str] = ()) -> Analysis:
    """The analysis of a spec, or of standard input for `-`; raises UnreadableError."""
    from ..driver import analyse

    if path == "-":
        return analyse(Path(STDIN), given, decoded(standard_input(), "-"), fixed=fixed)
    return analyse(Path(path), given, root=root, fixed=fixed)


def standard_input() -> bytes:
    """What comes on standard input; raises UnreadableError."""
    if sys.stdin is None:
        from .. import import_errors

        raise UnreadableError(import_errors.unreadable("-", "standard input is closed"))
    return sys.stdin.buffer.read()


def analysed(path: str, given: dict[str, str], fixed: Collection[str] = ()) -> Analysis:
    """The analysis of a spec; ends the command with exit code 2 where it cannot be read."""
    try:
        return analyse_path(path, given, fixed=fixed)
    except UnreadableError as fault:
        fail(fault.finding, USAGE)


def sound(path: str, given: dict[str, str]) -> Analysis:
    """The analysis of a spec that can be planned; prints findings, and ends the command where one is an error."""
    analysis, findings = _judged(path, given)
    if findings:
        print_findings(findings, to_stderr=not has_errors(findings))
    if has_errors(findings):
        sys.exit(FINDINGS)
    if analysis.plan is None:
        from .. import name_errors

        fail(name_errors.no_stage(path))
    return analysis


def _judged(path: str, given: dict[str, str]) -> tuple[Analysis, tuple[Diagnostic, ...]]:
    """The analysis of a spec, and what the project's settings make of its findings."""
    from ..policy.settings_files import SettingsError
    from .checking import verdict

    try:
        project = verdict.project_of(path)
        analysis = analysed(path, given, project.policy.fixed if project else ())
        return analysis, verdict.counted(analysis, project) if project else analysis.findings
    except SettingsError as fault:
        print_findings(fault.findings)
        sys.exit(USAGE)


def print_findings(findings: Iterable[Diagnostic], to_stderr: bool = False) -> None:
    """Findings as text, in colour on a terminal."""
    from trainc.dsl.render_text import render_text, summary

    stream = sys.stderr if to_stderr else sys.stdout
    findings = tuple(findings)
    print(render_text(findings, colour=use_color(stream)), end="", file=stream)
    print(summary(findings), file=stream)


def use_color(stream: Any) -> bool:
    """Whether to colour: only on a terminal, and never with NO_COLOR."""
    return bool(stream.isatty()) and "NO_COLOR" not in os.environ


def fail(finding: Diagnostic, code: int = FINDINGS) -> NoReturn:
    """Prints one finding and ends the command."""
    print_findings((finding,))
    sys.exit(code)
