"""Reads the text of sources: the bytes of a file, and what they say in UTF-8."""

from __future__ import annotations

from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from . import import_errors


class UnreadableError(Exception):
    """A spec that cannot be read at all."""

    def __init__(self, finding: Diagnostic):
        super().__init__(finding.message)
        self.finding = finding


def read(path: Path) -> bytes:
    """The bytes of a file; raises UnreadableError."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else None
        raise UnreadableError(import_errors.unreadable(str(path), reason or str(fault))) from fault


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
