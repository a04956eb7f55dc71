"""Applies fixes to specs until none is left that mends, and takes back every one that breaks something.

A fix stays if its finding is gone afterwards and no other came: in the same phase or an earlier one no code is found more often
than before, in any spec that reads the file. What a fault of syntax hid from the rules may show now, for it was there before; and
what the fix lays open may be mended in the same breath.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic, Fix
from trainc.dsl.edits import applied, compatible
from trainc.dsl.report import Checked
from trainc.dsl.source import Source

from .loader import Library

# Each round makes what the one before it laid open; real specs need two or three.
MAX_ROUNDS = 20
# `a && !b` is two faults, of which the second shows when the first is mended.
MAX_FOLLOWING = 3

_SYNTAX, _IMPORTS, _NAMES, _RULES, _PLAN = range(5)
_ASSERTION_FAILED = "TRN130"


@dataclass(frozen=True)
class Look:
    """A spec as it stands: its findings, and the texts of the user's files that it reads, by resolved path."""

    findings: tuple[Diagnostic, ...]
    texts: Mapping[Path, str]
    readable: bool = True


# Looks at a spec with some texts in place of what files hold.
Looking = Callable[[str, Mapping[Path, str]], Look]


@dataclass(frozen=True)
class Change:
    """A file before and after."""

    path: Path
    before: str
    after: str


@dataclass(frozen=True)
class Mended:
    """What fixes made of some specs: the files they changed, and what is found afterwards."""

    changes: tuple[Change, ...]
    fixed: int
    checked: tuple[Checked, ...]
    readable: bool


def texts(library: Library) -> dict[Path, str]:
    """The texts of the user's files that a spec reads, by resolved path."""
    sources = [module.file.source for module in library.modules.values()]
    return {_path(source): source.text for source in sources if source.is_file}


def mend(specs: Sequence[str], look: Looking, may_change: Callable[[Path], bool], texts: Mapping[Path, str]) -> Mended:
    """Makes every fix that mends in files that may be changed; `texts` stand in for what files hold. Nothing is written."""
    work = _Mending(specs, look, may_change, texts)
    for _ in range(MAX_ROUNDS):
        if not work.round():
            break
    changes = [Change(path, work.original[path], text) for path, text in sorted(work.edited.items()) if text != work.original[path]]
    checked = tuple(Checked(spec, found.findings) for spec, found in work.found.items())
    return Mended(tuple(changes), work.fixed, checked, all(found.readable for found in work.found.values()))


@dataclass(frozen=True)
class _Tried:
    """Fixes of a file that break nothing, how many were made with what they laid open, and how everything looks then."""

    fixes: tuple[Fix, ...]
    count: int
    edited: Mapping[Path, str]
    found: Mapping[str, Look]


class _Mending:
    def __init__(self, specs: Sequence[str], look: Looking, may_change: Callable[[Path], bool], texts: Mapping[Path, str]):
        self.look = look
        self.may_change = may_change
        self.edited: Mapping[Path, str] = texts
        self.found = {spec: look(spec, texts) for spec in specs}
        self.original: dict[Path, str] = {path: text for found in self.found.values() for path, text in found.texts.items()}
        self.fixed = 0
        self.refused: set[object] = set()

    def round(self) -> bool:
        """Makes what can be made at once in each file; whether anything was made, or refused so that others come first now."""
        before = self.fixed + len(self.refused)
        for path in sorted(self.offers()):
            # Looked up anew: what was made in one file can change what is found in another.
            fixes = compatible(_of_first_phase(self.offers().get(path, {}).values()))
            tried = self.tried(path, fixes) or self.one_by_one(path, fixes)
            if tried is not None:
                self.edited, self.fixed = tried.edited, self.fixed + tried.count
                self.found.update(tried.found)
        return self.fixed + len(self.refused) > before

    def offers(self) -> dict[Path, dict[object, Diagnostic]]:
        """The findings with fixes by file, in order; the same fix from two specs once."""
        offers: dict[Path, dict[object, Diagnostic]] = {}
        for found in self.found.values():
            for finding in found.findings:
                path = _file_of(finding.fix) if finding.fix is not None else None
                if finding.fix is not None and path is not None and path in self.original and self.may_change(path):
                    key = _key(finding.fix)
                    if key not in self.refused:
                        offers.setdefault(path, {}).setdefault(key, finding)
        return offers

    def one_by_one(self, path: Path, fixes: Sequence[Fix]) -> _Tried | None:
        """Those fixes that can be made without breaking anything; the others are not tried again on this text."""
        best: _Tried | None = None
        for fix in fixes:
            # Together each time: places are those of the text before any of them was made.
            tried = self.tried(path, [*(best.fixes if best is not None else ()), fix])
            if tried is None:
                self.refused.add(_key(fix))
            best = tried or best
        return best

    def tried(self, path: Path, fixes: Sequence[Fix]) -> _Tried | None:
        """What comes of making some fixes of a file together, with those of what they lay open; None where they break something."""
        text, made = self.edited.get(path, self.original[path]), {_key(fix) for fix in fixes}
        readers = {spec: found for spec, found in self.found.items() if path in found.texts}
        further, count = tuple(fixes), 0
        for _ in range(MAX_FOLLOWING):
            if not further:
                return None
            text, count = applied(text, further), count + len(further)
            edited = {**self.edited, path: text}
            outcomes = {spec: self.look(spec, edited) for spec in readers}
            broken = [
                finding for spec, found in readers.items() for finding in _broken(found.findings, outcomes[spec].findings, made)
            ]
            if not broken:
                return _Tried(tuple(fixes), count, edited, outcomes)
            offered = [finding.fix for finding in broken if finding.fix is not None and _file_of(finding.fix) == path]
            further = compatible({_key(fix): fix for fix in offered}.values())
        return None


def _broken(before: Sequence[Diagnostic], after: Sequence[Diagnostic], made: set[object]) -> list[Diagnostic]:
    """The findings of the codes that fixes left or brought, but for those that the mended ones may have hidden."""
    mended = [finding for finding in before if finding.fix is not None and _key(finding.fix) in made]
    allowed = _counted(before)
    allowed.subtract(_counted(mended))
    earliest = min((_phase(finding.code) for finding in mended), default=_PLAN)
    more = {entry for entry, count in _counted(after).items() if count > allowed[entry] and _phase(entry[0]) <= earliest}
    return [finding for finding in after if _entry(finding) in more]


def _of_first_phase(findings: Iterable[Diagnostic]) -> list[Fix]:
    """The fixes of the earliest phase: what a later phase finds may be otherwise once they are made."""
    findings = list(findings)
    first = min((_phase(finding.code) for finding in findings), default=_SYNTAX)
    return [finding.fix for finding in findings if finding.fix is not None and _phase(finding.code) == first]


def _entry(finding: Diagnostic) -> tuple[str, str]:
    return finding.code, finding.primary.source.name if finding.primary else ""


def _counted(findings: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter(map(_entry, findings))


def _phase(code: str) -> int:
    """The phase that makes a finding: each runs only where the ones before it found no error."""
    if code == _ASSERTION_FAILED or code[3] == "7":
        return _PLAN
    if code.startswith("TRN15"):
        return _IMPORTS
    return {"0": _SYNTAX, "1": _NAMES}.get(code[3], _RULES)


def _key(fix: Fix) -> object:
    return tuple((_path(edit.span.source), edit.span.start, edit.span.end, edit.text, edit.span.source.text) for edit in fix.edits)


def _file_of(fix: Fix) -> Path | None:
    """The one file of the user's that a fix changes."""
    sources = {edit.span.source.name: edit.span.source for edit in fix.edits}
    source = next(iter(sources.values())) if len(sources) == 1 else None
    return _path(source) if source is not None and source.is_file else None


def _path(source: Source) -> Path:
    return Path(source.name).resolve()
