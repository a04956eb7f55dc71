"""Runs the rules over a spec and its plan, and turns what they find into diagnostics at the places that caused it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType

from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, Related, in_order
from trainc.dsl.source import Span

from . import rules
from .elaborate import Elaborated
from .files import SpecFiles
from .origins import Origins
from .plan import Plan
from .schema import Record, UnknownField
from .spec import PipelineSpec

# A number with or without a unit, a word, a string without an interpolation: no expression.
_PLAIN = re.compile(r'[0-9][\w.+%-]*(?: ?[A-Za-z][\w/]*)?|[A-Za-z_]\w*|"[^"\\$]*"')


@dataclass(frozen=True, slots=True)
class CheckedSpec:
    """A pipeline that can be planned, whatever estimates say of it; only `check` makes one."""

    pipeline: PipelineSpec
    origins: Origins


def check(elaborated: Elaborated, files: SpecFiles | None) -> tuple[CheckedSpec | None, tuple[Diagnostic, ...]]:
    """The checked pipeline, or None where a rule found what no run survives; None for `files` leaves declared files alone."""
    found = list(_check_records(elaborated.records, elaborated.origins))
    if elaborated.pipeline is not None:
        found += _check_spec(elaborated.pipeline, elaborated.origins, files)
    findings = in_order(found)
    if elaborated.pipeline is None or rules.stops((*elaborated.findings, *findings)):
        return None, findings
    return CheckedSpec(elaborated.pipeline, elaborated.origins), findings


def check_plan(plan: Plan, origins: Origins) -> tuple[Diagnostic, ...]:
    """What the rules that look at plans find."""
    found: list[Diagnostic] = []
    for rule in rules.rules():
        if hasattr(rule, "check_plan"):
            for stage in plan.stages:
                found += _placed(rule.check_plan(stage), rule, stage.name, origins)
    return in_order(found)


def _check_records(records: Mapping[str, Record], origins: Origins) -> Iterator[Diagnostic]:
    for rule in rules.rules():
        if hasattr(rule, "check_record"):
            for path, record in records.items():
                yield from _placed(rule.check_record(record), rule, path, origins)


def _check_spec(pipeline: PipelineSpec, origins: Origins, files: SpecFiles | None) -> Iterator[Diagnostic]:
    for rule in rules.rules():
        if hasattr(rule, "check_pipeline"):
            yield from _placed(rule.check_pipeline(pipeline), rule, "", origins)
        for stage in pipeline.stages:
            if hasattr(rule, "check_stage"):
                yield from _placed(rule.check_stage(stage), rule, stage.name, origins)
            if files is not None and hasattr(rule, "check_files"):
                yield from _placed(rule.check_files(stage, files), rule, stage.name, origins)


def _placed(findings: Iterable[rules.Finding], rule: ModuleType, prefix: str, origins: Origins) -> Iterator[Diagnostic]:
    for finding in _until_unknown(findings):
        origin = origins[_join(prefix, finding.at)]
        others = [Related(span, text) for path, text in finding.also.items() if (span := origins[_join(prefix, path)].span)]
        primary, related = _nearest_first(origin.span, [*others, *origin.trail])
        fix = _fix({_join(prefix, path): text for path, text in finding.set.items()}, origins)
        code, severity = rules.code(rule.__name__), rules.severity(rule)
        yield Diagnostic(code, severity, finding.message, primary, tuple(related), finding.help, fix)


def _fix(values: Mapping[str, str], origins: Origins) -> Fix | None:
    """The edits that give fields other values; None unless each is written as a plain value, which nothing else reads."""
    edits: list[Edit] = []
    for path, text in values.items():
        origin = origins.by_path.get(path)
        plain = origin is not None and origin.written and not origin.trail and origin.span is not None
        if origin is None or origin.span is None or not plain or not _PLAIN.fullmatch(origin.span.text):
            return None
        edits.append(Edit(origin.span, text))
    listed = " and ".join(f"`{path.rpartition('.')[2]} = {text}`" for path, text in values.items())
    return Fix(f"set {listed}", tuple(edits)) if edits else None


def _until_unknown(findings: Iterable[rules.Finding]) -> Iterator[rules.Finding]:
    """What a rule finds before it reads a field that failed already."""
    with suppress(UnknownField):
        yield from findings


def _nearest_first(primary: Span | None, related: list[Related]) -> tuple[Span | None, list[Related]]:
    """The places with one of the user's own first, where the rule points into the standard library."""
    own = next((place for place in related if place.span.source.is_file), None)
    if primary is None or own is None or primary.source.is_file:
        return primary, related
    return own.span, [Related(primary, "with this"), *(place for place in related if place is not own)]


def _join(prefix: str, path: str) -> str:
    return f"{prefix}.{path}" if prefix and path else prefix or path
