"""The way of a spec, one call a phase."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic, in_order
from trainc.dsl.parser import parse_expression
from trainc.dsl.source import Source, Span

from . import assertions, hygiene, name_errors
from .cascades import independent
from .check import CheckedSpec, check, check_plan
from .elaborate import Elaborated, elaborate
from .files import SpecFiles
from .loader import Library, load
from .lower import Program, lower
from .plan import Plan
from .planner.make import make_plan
from .resolve import Resolved, resolve
from .rules import stops


@dataclass(frozen=True)
class Analysis:
    """How far a spec came: each phase's value, None from the first that failed on, and every finding.

    `files` are those that the spec declares, with what was asked of them.
    """

    library: Library
    elaborated: Elaborated
    checked: CheckedSpec | None
    plan: Plan | None
    programs: tuple[Program, ...] | None
    findings: tuple[Diagnostic, ...]
    files: SpecFiles


def analyse(
    path: Path,
    settings: Mapping[str, str],
    text: str | None = None,
    edited: Mapping[Path, str] | None = None,
    *,
    root: Path | None = None,
    fixed: Collection[str] = (),
) -> Analysis:
    """Runs every phase up to the programs of the stages; raises reading.UnreadableError if there is no text to begin with.

    `text` stands in for what `path` holds, `edited` for what any file does, by resolved path; `root` is the folder that imports may
    not leave, the spec's own where it is not given; `fixed` are codes that no comment suppresses.
    """
    with without_collection():
        return analyse_library(load(path, text, edited, root=root), settings, fixed)


@contextmanager
def without_collection() -> Iterator[None]:
    """Computes without looking for garbage."""
    # Nearly all that an analysis makes lives until its end: looking for garbage meanwhile takes a third of the time.
    active = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if active:
            gc.enable()


def analyse_library(
    library: Library, settings: Mapping[str, str], fixed: Collection[str] = (), *, reads_declared: bool = True
) -> Analysis:
    """Every phase after loading; without `reads_declared`, the files that a spec declares are left alone."""
    resolved = resolve(library)
    given, faults = _read_settings(settings, resolved)
    elaborated = elaborate(resolved, given)
    files = SpecFiles(library.folder)
    checked, broken_rules = check(elaborated, files if reads_declared else None)
    following = [*resolved.findings, *faults, *elaborated.findings, *broken_rules]
    findings = [*library.findings, *independent(following, library)]
    plan, programs = None, None
    if checked is not None and not stops(findings):
        plan = make_plan(checked.pipeline)
        programs = lower(plan, checked.origins, library)
        findings += check_plan(plan, checked.origins)
    findings += independent(assertions.failed(elaborated, plan, resolved, given), library)
    if not stops(findings):
        findings += hygiene.unused(resolved.root)
    return Analysis(library, elaborated, checked, plan, programs, _unsuppressed(findings, library, plan, fixed), files)


def _unsuppressed(
    findings: list[Diagnostic], library: Library, plan: Plan | None, fixed: Collection[str]
) -> tuple[Diagnostic, ...]:
    if not _speaks_to_trainc(library):
        return in_order(findings)
    # Few specs have such comments, and reading them takes the list of all codes.
    from .policy import suppressions

    planned = plan is not None and not stops(findings)
    return in_order(suppressions.apply(in_order(findings), library, planned=planned, fixed=fixed))


def _speaks_to_trainc(library: Library) -> bool:
    comments = (comment for module in library.modules.values() if not module.is_standard for comment in module.file.comments)
    return any("trainc" in comment.text.casefold() for comment in comments)


def _read_settings(settings: Mapping[str, str], resolved: Resolved) -> tuple[dict[str, ast.Expression], list[Diagnostic]]:
    """The expressions of `--set name=value`; a string or path needs no quotes."""
    params = {name: item for name, item in resolved.root.bindings.items() if isinstance(item, ast.Param)}
    given: dict[str, ast.Expression] = {}
    findings: list[Diagnostic] = []
    for name, text in settings.items():
        if name not in params:
            findings.append(name_errors.unknown_param(name, params))
            continue
        source = Source(f"--set {name}", text, is_file=False)
        takes_text = params[name].type.text in ("string", "path") and not params[name].is_list
        if takes_text and not text.startswith('"'):
            given[name] = ast.String((text,), Span(source, 0, len(text)))
            continue
        expression, faults = parse_expression(source)
        findings += faults
        if expression is not None:
            given[name] = expression
    return given, findings
