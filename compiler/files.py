"""What rules may ask of the files that a spec declares, and nothing more: they lie below the spec's folder.

Every question is remembered with its answer, so that who keeps an analysis can tell whether it still holds.
"""

from __future__ import annotations

import glob
import os
import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Answer = str | bool | list[str] | None

# Bytes that are read of a file of data.
HEAD = 2**14


@dataclass(frozen=True)
class SpecFiles:
    """The files below a spec's folder, by their paths from there."""

    folder: Path
    asked: dict[tuple[str, str], Answer] = field(default_factory=dict)

    def leaves(self, path: str) -> bool:
        """Whether a path names something outside of the folder."""
        return posixpath.isabs(path) or path.split("/")[0] == ".."

    def has_file(self, pattern: str) -> bool:
        """Whether a file matches; patterns mean what they mean to the runtime. A link may lead anywhere: nothing is read."""
        return self._once("file", pattern) is True

    def has_folder(self, path: str) -> bool:
        """Whether there is such a folder."""
        return self._once("folder", path) is True

    def names(self, path: str) -> list[str]:
        """What a folder holds, in order."""
        found = self._once("names", path)
        return found if isinstance(found, list) else []

    def text(self, path: str) -> str | None:
        """The text of a file, None where it cannot be read, or where a link leads outside of the folder."""
        found = self._once("text", path)
        return found if isinstance(found, str) else None

    def matches(self, pattern: str) -> list[str]:
        """The files that match, in order."""
        found = self._once("matches", pattern)
        return found if isinstance(found, list) else []

    def first_lines(self, path: str) -> list[str]:
        """The whole lines that a file begins with, at most `HEAD` bytes; none where they cannot be read."""
        found = self._once("first_lines", path)
        return found if isinstance(found, list) else []

    def still_holds(self, question: str, path: str, answer: Answer) -> bool:
        """Whether an answer given earlier would be given now."""
        return self._once(question, path) == answer

    def _once(self, question: str, path: str) -> Answer:
        ask: dict[str, Callable[[str], Answer]] = {
            "file": self._has_file,
            "folder": lambda path: os.path.isdir(self.folder / path),
            "names": lambda path: sorted(glob.glob("*", root_dir=self.folder / path)),
            "text": self._text,
            "matches": self._matches,
            "first_lines": self._first_lines,
        }
        if (question, path) not in self.asked:
            # No file has a name with a null character, and the system's functions raise at one.
            self.asked[question, path] = None if self.leaves(path) or "\0" in path else ask[question](path)
        return self.asked[question, path]

    def _has_file(self, pattern: str) -> bool:
        # The functions of os.path answer no where those of Path raise: a name too long, a folder that may not be read.
        return any(os.path.isfile(self.folder / name) for name in glob.iglob(pattern, root_dir=self.folder, recursive=True))

    def _matches(self, pattern: str) -> list[str]:
        return [
            name for name in sorted(glob.glob(pattern, root_dir=self.folder, recursive=True)) if os.path.isfile(self.folder / name)
        ]

    def _text(self, path: str) -> str | None:
        try:
            place = self._within(path)
            return place.read_text(encoding="utf-8") if place else None
        except (OSError, ValueError):
            return None

    def _first_lines(self, path: str) -> list[str]:
        try:
            place = self._within(path)
            if place is None:
                return []
            with place.open("rb") as stream:
                head = stream.read(HEAD + 1)
        except OSError:
            return []
        lines = head.decode(errors="replace").split("\n")
        return lines[:-1] if len(head) > HEAD or not lines[-1] else lines

    def _within(self, path: str) -> Path | None:
        place = os.path.realpath(self.folder / path)
        inside = os.path.commonpath((place, os.path.realpath(self.folder))) == os.path.realpath(self.folder)
        return Path(place) if inside else None
