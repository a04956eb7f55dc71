"""A baseline: the findings that a project has and puts up with, so that only new ones are shown.

A finding is known by its code, its file, the block that it stands in and the text of its lines, never by their numbers: moving a
block, or writing lines above it, makes nothing new. What is found twice has to be in the baseline twice.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from .. import settings_errors, whole_file
from ..loader import Library
from .blocks import block_path
from .settings_files import SettingsError

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """What makes two findings the same: `path` is relative to the baseline, `text` is the lines without blanks around them."""

    path: str
    code: str
    block: str
    text: str


@dataclass(frozen=True, slots=True)
class Located:
    """A finding, and the sources of the spec in which it was found."""

    finding: Diagnostic
    library: Library


def _unusable(path: Path, reason: str, help: str = "") -> SettingsError:
    return SettingsError([settings_errors.baseline_unusable(str(path), reason, help)])


def read(path: Path) -> Counter[Entry]:
    """How often each entry may be found; raises SettingsError."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise _unusable(path, (fault.strerror or str(fault)).lower()) from fault
    except (ValueError, RecursionError) as fault:
        raise _unusable(path, f"it is not JSON: {fault}") from fault
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise _unusable(path, "it holds no findings")
    if content.get("format_version") != FORMAT_VERSION:
        raise _unusable(path, f"its format is not {FORMAT_VERSION}, the one that this version of trainc reads")
    entries: Counter[Entry] = Counter()
    for row in content["findings"]:
        entry, count = _row(row, path)
        entries[entry] += count
    return entries


def write(path: Path, found: Iterable[Located]) -> int:
    """Writes the findings that are there and says how many; the same findings make the same file."""
    entries = Counter(entry_of(located, path.parent) for located in found)
    rows = [{**asdict(entry), "count": count} for entry, count in sorted(entries.items())]
    text = json.dumps({"format_version": FORMAT_VERSION, "findings": rows}, indent=2, ensure_ascii=False) + "\n"
    try:
        whole_file.write(str(path), text.encode())
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise _unusable(path, reason, "name a file in a folder where you may write") from fault
    return entries.total()


def new(found: Iterable[Located], known: Counter[Entry], folder: Path) -> tuple[list[Located], Counter[Entry]]:
    """The findings that a baseline does not hold, and what is left of it; `folder` is the baseline's own."""
    left, fresh = Counter(known), list[Located]()
    for located in found:
        entry = entry_of(located, folder)
        if left[entry] > 0:
            left[entry] -= 1
        else:
            fresh.append(located)
    return fresh, +left


def stale(left: Counter[Entry], checked: Collection[Path], folder: Path) -> int:
    """How many entries stand for nothing any more, as far as their files were checked, which have links followed, or are gone."""
    return sum(count for entry, count in left.items() if entry.path and _is_known(folder / entry.path, checked))


def entry_of(located: Located, folder: Path) -> Entry:
    """What a baseline in `folder` calls a finding."""
    finding, place = located.finding, located.finding.primary
    if place is None:
        return Entry("", finding.code, "", finding.message)
    source = place.source
    last = source.line_of(max(place.start, place.end - 1))
    lines = [" ".join(source.line_text(line).split()) for line in range(place.line, last + 1)]
    file = next((module.file for module in located.library.modules.values() if module.file.source is source), None)
    name = source.name if source.name.startswith(("std.", "--set ")) else _relative(source.name, folder)
    return Entry(name, finding.code, block_path(file, place) if file else "", "\n".join(lines))


def _relative(name: str, folder: Path) -> str:
    return Path(os.path.relpath(Path(name).resolve(), folder.resolve())).as_posix()


def _is_known(path: Path, checked: Collection[Path]) -> bool:
    return Path(os.path.realpath(path)) in checked or not os.path.exists(path)


def _row(row: object, path: Path) -> tuple[Entry, int]:
    if isinstance(row, dict):
        texts = [row.get(name) for name in ("path", "code", "block", "text")]
        count = row.get("count")
        strings = [text for text in texts if isinstance(text, str)]
        if len(strings) == len(texts) and isinstance(count, int) and count > 0 and "\0" not in strings[0]:
            return Entry(*strings), count
    raise _unusable(path, f"it holds an entry that no baseline has: {json.dumps(row)[:80]}")
