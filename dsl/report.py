"""What a check found, as every output format takes it: the findings of each checked spec, and where they are shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from .diagnostics import Diagnostic, Severity
from .source import Span


@dataclass(frozen=True, slots=True)
class RulePage:
    """What the manual says about a code, for formats that carry it along."""

    title: str
    why: str
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A spec by the name that it was given by, and its findings, those in the files it imports included."""

    name: str
    findings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding with the user's file to show it in; no span where no text of that file is at fault."""

    finding: Diagnostic
    file: str
    span: Span | None

    @property
    def line(self) -> int:
        """The line to show it at: a file as a whole is shown at its first."""
        return self.span.line if self.span is not None else 1

    @property
    def column(self) -> int:
        """The column to show it at."""
        return self.span.column if self.span is not None else 1

    @property
    def line_text(self) -> str:
        """The text of its line, which names the place when lines are added above it."""
        return self.span.source.line_text(self.span.line).strip() if self.span is not None else ""


@dataclass(frozen=True)
class Report:
    """The outcome of a check; paths are shown relative to `folder`, and `page` gives the manual's page of a code.

    `nothing` is what to say where there are none.
    """

    checked: tuple[Checked, ...]
    folder: str
    page: Callable[[str], RulePage | None]
    strict: bool = False
    nothing: str = "no findings"
    colour: bool = False

    @cached_property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Every finding once, also where several specs import the file that has it."""
        return tuple(placed.finding for placed in self.placed)

    @cached_property
    def placed(self) -> tuple[Placed, ...]:
        """Every finding once, each in a file of the user's."""
        return unique(self.checked)

    def fails(self, finding: Diagnostic) -> bool:
        """Whether a finding makes the check fail."""
        return finding.severity is Severity.ERROR or (self.strict and finding.severity is Severity.WARNING)

    def path(self, file: str) -> str:
        """A file as a path below the folder, with `/`; an absolute one where it lies elsewhere."""
        absolute = os.path.abspath(os.path.join(self.folder, file))
        below = os.path.join(self.folder, "")
        return absolute.removeprefix(below).replace(os.sep, "/")


def unique(specs: Iterable[Checked]) -> tuple[Placed, ...]:
    """The findings of some specs, each once, in files of the user's."""
    found: dict[object, Placed] = {}
    for checked in specs:
        for finding in checked.findings:
            found.setdefault(_identity(finding, checked.name), place(finding, checked.name))
    return tuple(found.values())


def place(finding: Diagnostic, spec: str) -> Placed:
    """Where to show a finding: its own place, the nearest place in a file of the user's, or the spec as a whole.

    The standard library's modules are no files of the user's, and neither is what `--set` says.
    """
    spans = [finding.primary, *(related.span for related in finding.related)]
    own = next((span for span in spans if span is not None and span.source.is_file), None)
    return Placed(finding, own.source.name if own is not None else spec, own)


def named_by_content(placed: tuple[Placed, ...], report: Report) -> Iterator[tuple[Placed, str]]:
    """Each finding with what tells it from the others for as long as its line stays as it is, wherever the line moves."""
    seen: dict[tuple[str, ...], int] = {}
    for one in placed:
        parts = (one.finding.code, report.path(one.file), one.line_text)
        seen[parts] = seen.get(parts, 0) + 1
        yield one, "\n".join((*parts, str(seen[parts])))


def _identity(finding: Diagnostic, spec: str) -> object:
    if finding.primary is None:
        return (finding.code, finding.message, spec)
    return (finding.code, finding.message, finding.primary.source.name, finding.primary.start)
