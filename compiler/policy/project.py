"""A project's settings: `trainc.toml`, or `[tool.trainc]` of `pyproject.toml`; what makes no sense in them is a finding."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic, Severity
from trainc.dsl.source import Source, Span
from trainc.dsl.suggest import closest

from .. import pages, settings_errors
from . import code_lists, globs
from .judgement import Policy, matches
from .settings_files import SHARED, SettingsError

KEYS = {
    "select": "a list of codes",
    "ignore": "a list of codes",
    "severity": 'a table such as { TRN303 = "warning" }',
    "exclude": "a list of patterns of paths",
    "no-suppress": "a list of codes",
    "strict": "true or false",
    "baseline": "the path of a file",
}
SEVERITIES = {severity.value: severity for severity in Severity}


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of one file; paths in them begin at its folder."""

    file: Path
    policy: Policy
    exclude: tuple[str, ...]
    baseline: Path | None

    def excludes(self, path: Path) -> bool:
        """Whether a spec that is only found by searching a folder is left out."""
        try:
            below = path.resolve().relative_to(self.file.parent).as_posix()
        except ValueError:
            return False
        return any(globs.matches(below, pattern) for pattern in self.exclude)


def read(files: Iterable[Path]) -> Project | None:
    """The settings of the first file that has any; raises SettingsError."""
    for file in files:
        source = _source(file)
        found = _table(file, source)
        if found is not None:
            return _project(file, found, source)
    return None


def _source(file: Path) -> Source:
    from os.path import relpath

    name = relpath(file)
    try:
        return Source(name, file.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        raise SettingsError([settings_errors.unreadable(name, f"byte {fault.start} is not UTF-8")]) from fault
    except OSError as fault:
        raise SettingsError([settings_errors.unreadable(name, (fault.strerror or str(fault)).lower())]) from fault


def _table(file: Path, source: Source) -> dict[str, object] | None:
    try:
        content: dict[str, object] = tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        reason, place = _toml_fault(str(fault), source)
        raise SettingsError([settings_errors.unreadable(source.name, reason, place)]) from fault
    if file.name != SHARED:
        return content
    tool = content.get("tool")
    if not isinstance(tool, dict) or "trainc" not in tool:
        return None
    if not isinstance(tool["trainc"], dict):
        raise SettingsError([settings_errors.wrong_value("tool.trainc", "a table", _place(source, "trainc"))])
    return dict(tool["trainc"])


def _toml_fault(message: str, source: Source) -> tuple[str, Span | None]:
    """The reader's words, and the place that it names at their end."""
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if found is None:
        return message.lower(), None
    offset = len(source.text.rstrip()) if found[1] is None else source.line_starts[int(found[1]) - 1] + int(found[2]) - 1
    return message[: found.start()].lower(), Span(source, offset, min(offset + 1, len(source.text)))


def _project(file: Path, table: dict[str, object], source: Source) -> Project:
    faults = [*_shape_faults(table, source)]
    if not faults:
        faults = [*_code_faults(table, source)]
    if faults:
        raise SettingsError(faults)
    baseline = table.get("baseline")
    severity = table.get("severity")
    policy = Policy(
        select=_strings(table, "select"),
        ignore=_strings(table, "ignore"),
        severity={code: SEVERITIES[value] for code, value in severity.items()} if isinstance(severity, dict) else {},
        strict=table.get("strict") is True,
        fixed=frozenset(code for code in pages.codes() if matches(code, _strings(table, "no-suppress"))),
    )
    return Project(file, policy, _strings(table, "exclude"), file.parent / baseline if isinstance(baseline, str) else None)


def _shape_faults(table: dict[str, object], source: Source) -> Iterator[Diagnostic]:
    for key, value in table.items():
        if key not in KEYS:
            yield settings_errors.unknown_key(key, KEYS, _place(source, key))
        elif not _fits(key, value):
            yield settings_errors.wrong_value(key, KEYS[key], _place(source, key))


def _fits(key: str, value: object) -> bool:
    match key:
        case "strict":
            return isinstance(value, bool)
        case "baseline":
            return isinstance(value, str)
        case "severity":
            return isinstance(value, dict) and all(isinstance(entry, str) for entry in value.values())
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _code_faults(table: dict[str, object], source: Source) -> Iterator[Diagnostic]:
    for key in ("select", "ignore", "no-suppress"):
        for pattern in _strings(table, key):
            place = _place(source, key, pattern)
            fault = code_lists.unknown(pattern, place)
            yield from [fault] if fault else []
            if key == "ignore" and fault is None:
                fault = code_lists.not_ignorable(pattern, place)
                yield from [fault] if fault else []
    severity = table.get("severity")
    for code, value in severity.items() if isinstance(severity, dict) else ():
        fault = _severity_fault(code, value, source)
        yield from [fault] if fault else []


def _severity_fault(code: str, value: str, source: Source) -> Diagnostic | None:
    place = _place(source, "severity", code)
    if code not in pages.codes():
        return settings_errors.unknown_code(code, code_lists.meant(code), place)
    if value not in SEVERITIES:
        wanted = ", ".join(f'"{name}"' for name in SEVERITIES)
        return settings_errors.wrong_value(f"severity.{code}", f"one of {wanted}", place, closest(value, SEVERITIES))
    return code_lists.not_lowerable(code, SEVERITIES[value], place)


def _strings(table: dict[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _place(source: Source, *words: str) -> Span | None:
    """The last of some words that follow one another in the settings; the one before where it is written in another way."""
    header = re.search(r"^\s*\[\s*tool\s*\.\s*trainc\b", source.text, re.MULTILINE)
    offset = header.start() if header else 0
    place: Span | None = None
    for word in words:
        found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(source.text, offset)
        if found is None:
            break
        place = Span(source, found.start(), found.end())
        offset = found.end()
    return place
