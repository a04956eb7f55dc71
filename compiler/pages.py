"""The manual's pages: the docstring behind each code, of a rule's module or of the function that makes the fault.

Example and Instead can be run, and a test does so. Those of a fault are lines that stand after a sound spec, or a session: lines
that begin with `$ ` are typed in a folder that holds that spec as `spec.train` and what `trainc init` writes as `first.train`, and
what follows `$ cat FILE` is in that file. Those of a rule are described in `rules/__init__.py`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from trainc.dsl.diagnostics import Severity

from . import rules

# Faults are functions of these packages' modules, whose names say so, and how much they weigh.
_PACKAGES = ("trainc.dsl", "trainc.compiler", "trainc.compiler.runs")
# Codes that nothing makes any more, with what to look up in their place; a code is never given a second meaning.
RETIRED = {"TRN121": "TRN014"}
_FAULTS = re.compile(r"(\w+_)?(errors|faults|warnings)")
_FIRST = re.compile(r"(TRN\d{3}): (.*?)\.\n", re.DOTALL)
_SECTION = re.compile(r"^(Why|Example|Instead):[ \n]?(.*?)(?=^(?:Why|Example|Instead):|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """What the manual says about a code."""

    code: str
    severity: Severity
    docstring: str

    @property
    def fault(self) -> str:
        """The first sentence, without its full stop."""
        found = _FIRST.match(self.docstring)
        assert found is not None, f"a page begins with its code and a sentence: {self.docstring[:40]}"
        return found[2]

    @property
    def why(self) -> str:
        """The real failure that it prevents."""
        return self._sections["Why"]

    @property
    def example(self) -> str:
        """What makes the fault."""
        return self._sections["Example"]

    @property
    def instead(self) -> str:
        """What to write in its place."""
        return self._sections["Instead"]

    @property
    def text(self) -> str:
        """The page as a terminal shows it."""
        head = f"{self.code} ({self.severity.value}): {self.fault}"
        return "\n\n".join((head, f"Why: {self.why}", _laid_out("Example", self.example), _laid_out("Instead", self.instead)))

    @cached_property
    def _sections(self) -> dict[str, str]:
        return {title: inspect.cleandoc(f"\n{body}") for title, body in _SECTION.findall(self.docstring)}


def page(code: str) -> Page | None:
    """The page of a code; None where there is no such code. Reads no other rule than the one that is asked for."""
    for name in rules.names():
        if rules.code(name) == code:
            return _rule_page(name)
    return next((found for found in _fault_pages() if found.code == code), None)


def codes() -> list[str]:
    """Every code that is made, ascending."""
    return sorted([rules.code(name) for name in rules.names()] + [found.code for found in _fault_pages()])


def _rule_page(name: str) -> Page:
    rule = rules.module(name)
    return Page(rules.code(name), rules.severity(rule), inspect.getdoc(rule) or "")


def _fault_pages() -> Iterator[Page]:
    for package in map(importlib.import_module, _PACKAGES):
        for entry in pkgutil.iter_modules(package.__path__):
            if _FAULTS.fullmatch(entry.name):
                yield from _pages_of(f"{package.__name__}.{entry.name}")


def _pages_of(module: str) -> Iterator[Page]:
    severity = Severity.WARNING if module.endswith("warnings") else Severity.ERROR
    for function in vars(importlib.import_module(module)).values():
        if inspect.isfunction(function) and function.__module__ == module and _FIRST.match(inspect.getdoc(function) or ""):
            docstring = inspect.getdoc(function) or ""
            yield Page(docstring[:6], severity, docstring)


def language(part: str) -> str:
    """What an Example or an Instead is written in."""
    return "console" if part.startswith("$ ") else "train"


def _laid_out(title: str, body: str) -> str:
    return f"{title}:\n" + "\n".join(f"  {line}" for line in body.splitlines())
