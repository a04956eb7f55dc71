"""Reads documents, one at a time and in the same order on every machine."""

from __future__ import annotations

import glob
import json
import sysconfig
import tokenize
from collections.abc import Iterator
from pathlib import Path

from ..errors import StageError
from ..planfile import RunSource

# Left out of `python_stdlib`: what is installed beside the library, and its tests, which outweigh the rest and hold files in
# deliberately broken encodings.
NOT_LIBRARY = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test"})


def documents(source: RunSource, root: Path) -> Iterator[str]:
    """The source's documents; empty ones are left out."""
    match source.kind:
        case "python_stdlib":
            found = _python_stdlib()
        case "text":
            found = (_read_text(path) for path in _matches(source, root))
        case "jsonl":
            found = (text for path in _matches(source, root) for text in _read_rows(path, source.column))
        case other:
            raise StageError(f"the plan's data source is `{other}`, this runtime knows python_stdlib, text and jsonl")
    return (text for text in found if text)


def _python_stdlib() -> Iterator[str]:
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        if NOT_LIBRARY.isdisjoint(path.relative_to(root).parts):
            # A source file says its own encoding.
            with tokenize.open(path) as stream:
                yield stream.read()


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


def _read_rows(path: Path, column: str | None) -> Iterator[str]:
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield _read_row(path, number, line, column)
    except OSError as fault:
        raise StageError(f"cannot read {path}: {fault.strerror}") from fault


def _read_row(path: Path, number: int, line: bytes, column: str | None) -> str:
    try:
        row = json.loads(line)
    except ValueError as fault:
        raise StageError(f"{path} line {number} is not JSON: {fault}") from fault
    if not isinstance(row, dict) or column not in row:
        names = ", ".join(f"`{name}`" for name in row) if isinstance(row, dict) else "no columns"
        raise StageError(f"{path} line {number} has no column `{column}`: it has {names}")
    if not isinstance(row[column], str):
        raise StageError(f"{path} line {number}: column `{column}` holds {row[column]!r}, not text")
    return row[column]
