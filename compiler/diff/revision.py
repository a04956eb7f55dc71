"""Reads a spec and its imports as they are in a git revision: `REV:FILE`; an empty REV is the index, as in git.

Nothing is checked out: each file is read out of the object store when the loader asks for it.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from .. import git, import_errors, revision_errors
from ..loader import Files, Library, load
from ..reading import UnreadableError


@dataclass(frozen=True, slots=True)
class _Revision:
    """`commit` is the revision's full name, empty for the index; `top` is the clone's folder, `here` the place in it."""

    name: str
    commit: str
    top: Path
    here: str

    def read(self, path: Path) -> str | Diagnostic:
        """The text of a file below the clone's folder."""
        # A link in the working folder may lead out of the clone.
        if not path.is_relative_to(self.top):
            return revision_errors.not_in_revision(self.name, str(path), None)
        file = path.relative_to(self.top).as_posix()
        found = git.answer("cat-file", "blob", f"{self.commit}:{file}")
        if found is None:
            return revision_errors.not_in_revision(self.name, file, self._near(file))
        try:
            return found.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            return import_errors.not_utf8(f"{self.name}:{file}", fault.start)

    def title(self, path: Path) -> str:
        """What messages call a file."""
        return f"{self.name}:{path.relative_to(self.top).as_posix()}"

    def _near(self, file: str) -> str | None:
        below = posixpath.join(self.here, file)
        return f"./{file}" if self.here and git.answer("cat-file", "-e", f"{self.commit}:{below}") is not None else None


def load_revision(subject: str) -> Library:
    """The library of `REV:FILE`; raises UnreadableError."""
    name, _, file = subject.partition(":")
    revision = _open(subject, name)
    if file.startswith(("./", "../")):
        file = posixpath.normpath(posixpath.join(revision.here, file))
    # `load` resolves the path, and must end below the same folder.
    return load(revision.top / file, files=Files(revision.read, revision.title))


def _open(subject: str, name: str) -> _Revision:
    top, here = git.top(), git.answer("rev-parse", "--show-prefix")
    if top is None or here is None:
        raise UnreadableError(revision_errors.no_repository(subject, "this folder is in no clone, or git does not run here"))
    commit = git.commit(name) if name else ""
    if commit is None:
        raise UnreadableError(revision_errors.no_revision(name))
    return _Revision(name, commit, top, git.line(here))
