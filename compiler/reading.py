"""Reads the text of sources: the bytes of a file, what they say in UTF-8, and whether they may have changed."""

from __future__ import annotations

import os
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from . import import_errors

# The largest spec that anybody wrote by hand has a tenth of it; a device or a log file named by mistake has no end.
MOST_BYTES = 2 * 1024 * 1024


# When a file was written and how long it is; None where it is not there.
Stamp = tuple[int, int] | None


class UnreadableError(Exception):
    """A spec that cannot be read at all."""

    def __init__(self, finding: Diagnostic):
        super().__init__(finding.message)
        self.finding = finding


def stamp(path: Path) -> Stamp:
    """What changes when a file changes."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def read(path: Path) -> bytes:
    """The bytes of a file; raises UnreadableError."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else None
        raise UnreadableError(import_errors.unreadable(str(path), reason or str(fault))) from fault
    if len(content) > MOST_BYTES:
        raise UnreadableError(import_errors.too_large(str(path), MOST_BYTES))
    return content


def decoded(content: bytes, name: str) -> str:
    """The text of a source, without the mark that some editors begin it with; raises UnreadableError."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise UnreadableError(import_errors.not_utf8(name, fault.start)) from fault


def read_file(path: Path) -> str | Diagnostic:
    """The text of a file on disk, or why it cannot be read."""
    try:
        return decoded(read(path), str(path))
    except UnreadableError as fault:
        return fault.finding
