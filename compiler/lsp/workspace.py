"""What the server knows: open buffers, folders, and the snapshots made of them, each until something changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from ..reading import UnreadableError
from .buffers import Buffers
from .positions import Encoding, Lines
from .roots import roots_of
from .rulings import Settings
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
    """Snapshots by spec; one is taken again when a text that it was made of has changed.

    Paths are resolved; `spellings` are those of folders that the editor reaches through a link.
    """

    buffers: Buffers = field(default_factory=Buffers)
    settings: Settings = field(default_factory=Settings)
    folders: list[Path] = field(default_factory=list)
    spellings: dict[Path, Path] = field(default_factory=dict)
    encoding: str = Encoding.Utf16
    _taken: dict[Path, _Taken] = field(default_factory=dict)

    def roots(self, path: Path) -> list[Path]:
        """The specs by which a file is judged: the open ones that read it, or the first that does."""
        found = self.readers(path)
        return [root for root in found if root in self.buffers.open] or found[:1]

    def readers(self, path: Path) -> list[Path]:
        """Every spec that reads a file, the open ones first; itself, unless others import it."""
        return roots_of(path, self.buffers, self.folders)

    def snapshot(self, root: Path) -> Snapshot:
        """The spec as it is now; raises UnreadableError."""
        known = self._taken.pop(root, None)
        if known is None or not self._is_current(known, root):
            seen: dict[Path, str | Diagnostic] = {}
            found = take(root, self.buffers.files(seen), self.settings.of(root))
            known = _Taken(found, self.buffers.epoch, seen)
        self._taken[root] = known
        if len(self._taken) > _KEPT:
            del self._taken[next(iter(self._taken))]
        return known.snapshot

    def _is_current(self, taken: _Taken, root: Path) -> bool:
        if taken.epoch != self.buffers.epoch or taken.snapshot.rulings != self.settings.of(root):
            return False
        return all(self.buffers.read(path) == text for path, text in taken.seen.items())

    def view(self, path: Path) -> View | None:
        """A file within the first spec that reads it; None where it cannot be read."""
        return next(self._views((*self.roots(path), path), path, self.snapshot), None)

    def views(self, path: Path) -> list[View]:
        """A file within every spec that reads it: its names can be used in any of them."""
        roots = dict.fromkeys((*self.readers(path), *self.buffers.open))
        return list(self._views(roots, path, self.snapshot))

    def view_with(self, path: Path, texts: Mapping[Path, str], root: Path | None = None) -> View | None:
        """The file as it would be with other texts, in one spec or the first that reads it."""
        files = self.buffers.files_with(texts)
        roots = (*self.roots(path), path) if root is None else (root,)
        return next(self._views(roots, path, lambda spec: take(spec, files, self.settings.of(spec))), None)

    def _views(self, roots: Iterable[Path], path: Path, snapshot: Callable[[Path], Snapshot]) -> Iterator[View]:
        for root in roots:
            try:
                found = snapshot(root)
            except UnreadableError:
                continue
            if path in found.modules:
                yield View(found, found.modules[path])

    def lines(self, text: str) -> Lines:
        """A text's lines, in the encoding agreed on."""
        return Lines(text, self.encoding)

    def uri(self, path: Path) -> str:
        """A file's name for the editor: its own spelling where it has the file open."""
        buffer = self.buffers.open.get(path)
        if buffer is not None:
            return buffer.uri
        for folder, spelt in self.spellings.items():
            if path.is_relative_to(folder):
                return (spelt / path.relative_to(folder)).as_uri()
        return path.as_uri()
