"""Spans as the protocol names them: a document's URI, as the editor spelt it where it is open, and a range."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsprotocol import types
from trainc.dsl.source import Source, Span

from .positions import Lines
from .snapshot import Snapshot
from .workspace import Workspace


@dataclass(frozen=True)
class Places:
    """The places of one snapshot."""

    snapshot: Snapshot
    workspace: Workspace

    @cached_property
    def _lines(self) -> dict[int, tuple[Source, Lines]]:
        return {}

    def lines(self, source: Source) -> Lines:
        """The lines of a source, counted once."""
        if id(source) not in self._lines:
            # Keeping the source alive keeps its id its own.
            self._lines[id(source)] = (source, self.workspace.lines(source.text))
        return self._lines[id(source)][1]

    def location(self, span: Span) -> types.Location | None:
        """Where a span stands; None for what stands in no file."""
        path = self.snapshot.path(span.source)
        return types.Location(self.uri(path), self.range(span)) if path is not None else None

    def range(self, span: Span) -> types.Range:
        """The range of a span in its own text."""
        return self.lines(span.source).range(span)

    def uri(self, path: Path) -> str:
        """A file's name for the editor."""
        return self.workspace.uri(path)
