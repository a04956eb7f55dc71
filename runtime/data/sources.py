"""Reads rows, one at a time and in the same order on every machine."""

from __future__ import annotations

import glob
import json
import sysconfig
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import StageError
from ..planfile import RunSource
from .broken import Broken, BrokenRowError

# Left out of `python_stdlib`: what is installed beside the library, and its tests, which outweigh the rest and hold files in
# deliberately broken encodings.
NOT_LIBRARY = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test"})
# The column of what comes without columns.
TEXT = "text"


@dataclass(frozen=True, slots=True)
class Row:
    """Values by column, and the place to name when they are of no use."""

    place: str
    values: dict[str, Any]


def rows(source: RunSource, root: Path, broken: Broken) -> Iterator[Row]:
    """The source's rows; a file of text is one, with the column `text`."""
    match source.kind:
        case "python_stdlib":
            return _python_stdlib()
        case "text":
            return (Row(str(path), {TEXT: _read_text(path)}) for path in _matches(source, root))
        case "jsonl":
            return (row for path in _matches(source, root) for row in _json_rows(path, broken))
        case "parquet":
            return (row for path in _matches(source, root) for row in _parquet_rows(path))
        case other:
            raise StageError(f"the plan's data source is `{other}`, this runtime knows python_stdlib, text, jsonl and parquet")


def _python_stdlib() -> Iterator[Row]:
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        if NOT_LIBRARY.isdisjoint(path.relative_to(root).parts):
            # A source file says its own encoding.
            with tokenize.open(path) as stream:
                yield Row(str(path), {TEXT: stream.read()})


def _matches(source: RunSource, root: Path) -> list[Path]:
    pattern = source.path or ""
    paths = [root / name for name in sorted(glob.glob(pattern, root_dir=root, recursive=True))]
    files = [path for path in paths if path.is_file()]
    if not files:
        raise StageError(f"no file matches `{pattern}` below {root}")
    return files


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise StageError(f"{path} is not UTF-8: byte {fault.start} is {fault.object[fault.start]:#04x}") from fault
    except OSError as fault:
        raise StageError(f"cannot read {path}: {fault.strerror}") from fault


def _json_rows(path: Path, broken: Broken) -> Iterator[Row]:
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                place = f"{path} line {number}"
                row = broken.attempt(place, partial(_json_object, line)) if line.strip() else None
                if row is not None:
                    yield Row(place, row)
    except OSError as fault:
        raise StageError(f"cannot read {path}: {fault.strerror}") from fault


def _json_object(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as fault:
        raise BrokenRowError(f" is not JSON: {fault}") from fault
    if not isinstance(row, dict):
        raise BrokenRowError(" is no object: it has no columns")
    return row


def _parquet_rows(path: Path) -> Iterator[Row]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as fault:
        raise StageError("parquet files need pyarrow: pip install 'trainc[parquet]'") from fault
    try:
        batches = parquet.ParquetFile(path).iter_batches()
        found = (row for batch in batches for row in batch.to_pylist())
        yield from (Row(f"{path} row {number}", row) for number, row in enumerate(found, start=1))
    except (OSError, pyarrow.ArrowException) as fault:
        raise StageError(f"cannot read {path}: {fault}") from fault
