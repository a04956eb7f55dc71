"""The checks, one file a rule, discovered by their names: `trnNNN_fault.py`. Other files here are arithmetic that rules share.

A rule's docstring is its page in the manual: the fault, `Why:`, `Example:` and `Instead:`. It defines one or more of
`check_record(record)`, for every declared record, `check_stage(stage)`, `check_pipeline(pipeline)`, `check_files(stage, files)`,
which see the spec, and `check_plan(plan)`, which sees a planned stage; each yields Findings. A module-level `SEVERITY` other than
ERROR makes it a warning; `WAIVABLE = True` says that a run survives the error, which can therefore be ignored or suppressed.

Example and Instead are parts of one small sound spec (tests/cases/rules/base.train): declarations amend those of the same name
there, bare fields replace the stage's, and what Instead repeats replaces what Example says. A test compiles both.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType

from trainc.dsl.diagnostics import Diagnostic, Severity


@dataclass(frozen=True)
class Finding:
    """What a rule found: `at` is the field's path below the record that was checked (`mesh.tp`), `also` other fields to show.

    The smallest field is the best place: one of a shared record comes out once, however many stages use it. `set` gives fields
    the only values that can be meant, as text; `check` makes a fix of them where the fields are written as plain values.
    """

    at: str
    message: str
    help: str | None = None
    also: Mapping[str, str] = field(default_factory=dict)
    set: Mapping[str, str] = field(default_factory=dict)


def rules() -> Iterator[ModuleType]:
    """Every rule's module, in the order of codes."""
    for name in names():
        yield module(name)


def names() -> list[str]:
    """The module names of the rules."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith("trn"))


def module(name: str) -> ModuleType:
    """The rule of that module name."""
    return importlib.import_module(f"{__name__}.{name}")


def code(name: str) -> str:
    """A rule's code, from the name of its module."""
    return name.rpartition(".")[2].split("_")[0].upper()


def severity(rule: ModuleType) -> Severity:
    """How much the rule's findings weigh."""
    found = getattr(rule, "SEVERITY", Severity.ERROR)
    assert isinstance(found, Severity)
    return found


@cache
def waivable() -> frozenset[str]:
    """Codes of the errors that a run survives: estimates, and judgements of which an expert may know better."""
    return frozenset(code(rule.__name__) for rule in rules() if getattr(rule, "WAIVABLE", False))


def stops(findings: Iterable[Diagnostic]) -> bool:
    """Whether an error among the findings leaves nothing that could be planned."""
    return any(finding.severity is Severity.ERROR and finding.code not in waivable() for finding in findings)
