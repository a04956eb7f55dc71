"""The checks, one file a rule, discovered by their names: `trnNNN_fault.py`.

A rule's docstring is its page in the manual. It defines one of `check_stage(stage)`, `check_pipeline(pipeline)`,
`check_files(stage, folder)`, which see the spec, or `check_plan(plan)`, which sees a planned stage; each yields Findings.
A module-level `SEVERITY` other than ERROR makes it a warning.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType

from trainc.dsl.diagnostics import Severity


@dataclass(frozen=True)
class Finding:
    """What a rule found: `at` is the field's path below the record that was checked (`mesh.tp`), `also` other fields to show.

    `replace` is text that certainly mends the field.
    """

    at: str
    message: str
    help: str | None = None
    also: Mapping[str, str] = field(default_factory=dict)
    replace: str | None = None


def rules() -> Iterator[ModuleType]:
    """Every rule's module, in the order of codes."""
    for name in names():
        yield importlib.import_module(f"{__name__}.{name}")


def names() -> list[str]:
    """The module names of the rules."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith("trn"))


def code(rule: ModuleType) -> str:
    """The rule's code, from its file name."""
    return rule.__name__.rpartition(".")[2].split("_")[0].upper()


def severity(rule: ModuleType) -> Severity:
    """How much the rule's findings weigh."""
    found = getattr(rule, "SEVERITY", Severity.ERROR)
    assert isinstance(found, Severity)
    return found
