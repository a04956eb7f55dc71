"""The texts that an editor holds open, which count before those on disk, and what was parsed already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from trainc.dsl.ast import ParseResult
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.parser import parse
from trainc.dsl.source import Source

from ..loader import Files
from ..reading import read_file, stamp

Key = TypeVar("Key")
Kept = TypeVar("Kept")

# Texts kept at most: more than the files of any project, and a bound for a server that runs for weeks.
_KEPT = 512


@dataclass(frozen=True, slots=True)
class Buffer:
    """One open document, as the editor names it, at the version that the editor gave it."""

    uri: str
    version: int | None
    text: str


class Buffers:
    """Open documents by resolved path; `epoch` grows when files that only rules look at may have changed on disk."""

    def __init__(self) -> None:
        self.open: dict[Path, Buffer] = {}
        self.epoch = 0
        self._parsed: dict[str, tuple[str, ParseResult]] = {}
        self._disk: dict[Path, tuple[tuple[int, int], str]] = {}

    def put(self, path: Path, buffer: Buffer) -> None:
        """Takes a document's text as it is now."""
        self.open[path] = buffer

    def close(self, path: Path) -> None:
        """Goes back to what is on disk."""
        self.open.pop(path, None)

    def touch(self) -> None:
        """Says that files on disk have changed."""
        self.epoch += 1

    def read(self, path: Path) -> str | Diagnostic:
        """The text of a file: the open one, else that on disk."""
        buffer = self.open.get(path) or self.open.get(path.resolve())
        return buffer.text if buffer is not None else self._on_disk(path)

    def _on_disk(self, path: Path) -> str | Diagnostic:
        now = stamp(path)
        known = self._disk.pop(path, None)
        text = known[1] if known is not None and known[0] == now else read_file(path)
        if now is not None and isinstance(text, str):
            self._disk[path] = (now, text)
            _forget_oldest(self._disk)
        return text

    def parse(self, source: Source) -> ParseResult:
        """The syntax tree of a text; an unchanged one is not parsed again."""
        known = self._parsed.pop(source.name, None)
        if known is None or known[0] != source.text:
            known = (source.text, parse(source))
        self._parsed[source.name] = known
        _forget_oldest(self._parsed)
        return known[1]

    def files(self, seen: dict[Path, str | Diagnostic]) -> Files:
        """How the loader reads through these buffers; what it reads is noted in `seen`."""

        def read(path: Path) -> str | Diagnostic:
            seen[path] = self.read(path)
            return seen[path]

        return Files(read, str, self.parse)

    def files_with(self, texts: Mapping[Path, str]) -> Files:
        """The same with other texts in some files, which are kept nowhere."""
        changed = set(texts.values())
        files = Files(self.read, str, lambda source: parse(source) if source.text in changed else self.parse(source))
        return files.with_edited(texts)


def _forget_oldest(cache: dict[Key, Kept]) -> None:
    if len(cache) > _KEPT:
        del cache[next(iter(cache))]
