"""Which findings count, and how much: by their codes, and by their severity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from trainc.dsl.diagnostics import Diagnostic, Severity

_WEIGHTS = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Policy:
    """What to do with findings; codes may be the beginnings of some, as in `TRN2`. `fixed` are codes that no comment suppresses."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    least: Severity = Severity.NOTE
    strict: bool = False
    fixed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a policy makes of findings; `unselected` are errors that are not to be shown and are errors all the same."""

    shown: tuple[Diagnostic, ...]
    unselected: tuple[Diagnostic, ...]


def judge(findings: Iterable[Diagnostic], policy: Policy) -> Verdict:
    """The findings that count under a policy, each with the weight that it has there."""
    weighed = [_weighed(finding, policy) for finding in findings if not _is_ignored(finding, policy)]
    heavy = [finding for finding in weighed if _WEIGHTS[finding.severity] >= _WEIGHTS[policy.least]]
    shown = [finding for finding in heavy if not policy.select or matches(finding.code, policy.select)]
    others = [finding for finding in heavy if policy.select and not matches(finding.code, policy.select)]
    return Verdict(tuple(shown), tuple(finding for finding in others if finding.severity is Severity.ERROR))


def matches(code: str, patterns: Iterable[str]) -> bool:
    """Whether a code is one of the patterns or begins with one."""
    return any(code.startswith(pattern) for pattern in patterns)


def _weighed(finding: Diagnostic, policy: Policy) -> Diagnostic:
    severity = policy.severity.get(finding.code, finding.severity)
    return finding if severity is finding.severity else replace(finding, severity=severity)


def _is_ignored(finding: Diagnostic, policy: Policy) -> bool:
    if not matches(finding.code, policy.ignore):
        return False
    from .waivers import waivable

    # `ignore = ["TRN2"]` takes what can be taken of that family.
    return waivable(finding.code)
