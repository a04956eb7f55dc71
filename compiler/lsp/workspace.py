"""What the server knows: open buffers, folders, and the snapshots made of them, each until something changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from ..loader import UnreadableError
from .buffers import Buffers
from .positions import Encoding, Lines
from .roots import roots_of
from .snapshot import Snapshot, View, take

# Snapshots kept at most; each holds a whole analysis.
_KEPT = 32


@dataclass(frozen=True)
class _Taken:
    """A snapshot, and all that it was made of."""

    snapshot: Snapshot
    epoch: int
    seen: Mapping[Path, str | Diagnostic]


@dataclass
class Workspace:
    """Snapshots by spec; one is taken again when a text that it was made of has changed."""

    buffers: Buffers = field(default_factory=Buffers)
    folders: list[Path] = field(default_factory=list)
    encoding: str = Encoding.Utf16
    _taken: dict[Path, _Taken] = field(default_factory=dict)

    def roots(self, path: Path) -> list[Path]:
        """The specs by which a file is judged."""
        return roots_of(path, self.buffers, self.folders)

    def snapshot(self, root: Path) -> Snapshot:
        """The spec as it is now; raises UnreadableError."""
        known = self._taken.pop(root, None)
        if known is None or not self._is_current(known):
            seen: dict[Path, str | Diagnostic] = {}
            known = _Taken(take(root, self.buffers.files(seen)), self.buffers.epoch, seen)
        self._taken[root] = known
        if len(self._taken) > _KEPT:
            del self._taken[next(iter(self._taken))]
        return known.snapshot

    def _is_current(self, taken: _Taken) -> bool:
        same = all(self.buffers.read(path) == text for path, text in taken.seen.items())
        return same and taken.epoch == self.buffers.epoch

    def view(self, path: Path) -> View | None:
        """A file within the first spec that reads it; None where it cannot be read."""
        for root in (*self.roots(path), path):
            try:
                found = self.snapshot(root)
            except UnreadableError:
                continue
            if path in found.modules:
                return View(found, found.modules[path])
        return None

    def view_with(self, path: Path, text: str) -> View | None:
        """The same, with another text in that file."""
        for root in (*self.roots(path), path):
            try:
                found = take(root, self.buffers.files_with(path, text))
            except UnreadableError:
                continue
            if path in found.modules:
                return View(found, found.modules[path])
        return None

    def views(self, path: Path) -> list[View]:
        """A file within every open spec that reads it: a name can be used in any of them."""
        views = [self.view(path)]
        for root in self.buffers.open:
            try:
                found = self.snapshot(root)
            except UnreadableError:
                continue
            if path in found.modules:
                views.append(View(found, found.modules[path]))
        return list({id(view.snapshot): view for view in views if view is not None}.values())

    def lines(self, text: str) -> Lines:
        """A text's lines, in the encoding agreed on."""
        return Lines(text, self.encoding)

    def uri(self, path: Path) -> str:
        """A file's name for the editor: its own spelling where it has the file open."""
        buffer = self.buffers.open.get(path)
        return buffer.uri if buffer is not None else path.as_uri()
