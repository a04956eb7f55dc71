"""Reads the JSON-lines files of a running stage: metrics and events."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

Row = Mapping[str, object]


def parse_rows(text: bytes) -> Iterator[Row]:
    """The rows of a text; a line that is no row (torn by a crash) is passed over, the rest still counts."""
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def read_rows(path: Path) -> tuple[Row, ...]:
    """All rows of a file, none if it is not there."""
    return tuple(parse_rows(path.read_bytes())) if path.is_file() else ()


class RowTail:
    """The rows appended to a file after the tail was made; a row that is still being written waits for its newline.

    A file that another one has replaced is read from its start: resuming rewrites the metrics up to the checkpoint.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = path.stat().st_size if path.is_file() else 0
        self._inode = path.stat().st_ino if path.is_file() else None

    def new_rows(self) -> tuple[Row, ...]:
        """The rows completed since the last look."""
        if not self._path.is_file():
            return ()
        with self._path.open("rb") as file:
            inode = os.fstat(file.fileno()).st_ino
            if inode != self._inode:
                self._inode, self._offset = inode, 0
            file.seek(self._offset)
            text = file.read()
        complete = text[: text.rfind(b"\n") + 1]
        self._offset += len(complete)
        return tuple(parse_rows(complete))


def number(row: Row, name: str) -> float | None:
    """A number of a row, or None where it has none."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def count(row: Row, name: str) -> int | None:
    """A whole number of a row, or None where it has none."""
    value = number(row, name)
    return None if value is None or not math.isfinite(value) else int(value)


def text(row: Row, name: str) -> str | None:
    """A text of a row, or None where it has none."""
    value = row.get(name)
    return value if isinstance(value, str) else None
