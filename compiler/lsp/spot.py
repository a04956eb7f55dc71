"""The place that a request asks about: a document of a snapshot, and an offset in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from trainc.dsl.source import Span

from .places import Places
from .positions import Lines
from .snapshot import View
from .workspace import Workspace


@dataclass(frozen=True)
class Spot:
    """Everything that a feature needs to answer; `offset` is 0 where a whole document is asked about."""

    path: Path
    view: View
    places: Places
    offset: int = 0

    @property
    def lines(self) -> Lines:
        """The lines of the document."""
        return self.places.lines(self.view.file.source)

    @property
    def workspace(self) -> Workspace:
        """The buffers and specs around it."""
        return self.places.workspace

    def range(self, span: Span) -> types.Range:
        """A span of the document in the protocol's terms."""
        return self.lines.range(span)


def spot(workspace: Workspace, path: Path, position: types.Position | None = None) -> Spot | None:
    """The spot at a position; None where the document cannot be read."""
    view = workspace.view(path)
    if view is None:
        return None
    found = Spot(path, view, Places(view.snapshot, workspace))
    return found if position is None else Spot(path, view, found.places, found.lines.offset(position))
