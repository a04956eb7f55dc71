"""Applies fixes to specs until none is left that mends, and takes back every one that breaks something.

A fix stays if its finding is gone afterwards and no other came: in the same phase or an earlier one no code is found more often
than before, in any spec that reads the file. What a fault of syntax hid from the rules may show now, for it was there before.
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

from .driver import analyse
from .loader import UnreadableError

# Each round makes what the one before it laid open; real specs need two or three.
MAX_ROUNDS = 20

_SYNTAX, _NAMES, _RULES, _PLAN = range(4)
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


def looking(settings: Mapping[str, str]) -> Looking:
    """Looks by the whole analysis, with values of params."""

    def look(spec: str, edited: Mapping[Path, str]) -> Look:
        try:
            analysis = analyse(Path(spec), settings, edited=edited)
        except UnreadableError as fault:
            return Look((fault.finding,), {}, readable=False)
        sources = [module.file.source for module in analysis.library.modules.values()]
        return Look(analysis.findings, {_path(source): source.text for source in sources if source.is_file})

    return look


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
    """Fixes of a file that break nothing, and how everything looks with them."""

    fixes: tuple[Fix, ...]
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
        """Makes what can be made at once in each file; whether anything was."""
        before = self.fixed
        for path in sorted(self.offers()):
            # Looked up anew: what was made in one file can change what is found in another.
            fixes = compatible(self.offers().get(path, {}).values())
            tried = self.tried(path, fixes) or self.one_by_one(path, fixes)
            if tried is not None:
                self.edited, self.fixed = tried.edited, self.fixed + len(tried.fixes)
                self.found.update(tried.found)
        return self.fixed > before

    def offers(self) -> dict[Path, dict[object, Fix]]:
        """The fixes by file, in the order of findings; the same one from two specs once."""
        offers: dict[Path, dict[object, Fix]] = {}
        for found in self.found.values():
            for finding in found.findings:
                path = _file_of(finding.fix) if finding.fix is not None else None
                if finding.fix is not None and path is not None and path in self.original and self.may_change(path):
                    key = _key(finding.fix)
                    if key not in self.refused:
                        offers.setdefault(path, {})[key] = finding.fix
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
        """What comes of making some fixes of a file together; None where they break something."""
        edited = {**self.edited, path: applied(self.edited.get(path, self.original[path]), fixes)}
        readers = {spec: found for spec, found in self.found.items() if path in found.texts}
        outcomes = {spec: self.look(spec, edited) for spec in readers}
        made = {_key(fix) for fix in fixes}
        broken = any(_breaks(found.findings, outcomes[spec].findings, made) for spec, found in readers.items())
        return None if broken or not fixes else _Tried(tuple(fixes), edited, outcomes)


def _breaks(before: Sequence[Diagnostic], after: Sequence[Diagnostic], made: set[object]) -> bool:
    """Whether fixes left one of their findings, or brought one that nothing hid before."""
    mended = [finding for finding in before if finding.fix is not None and _key(finding.fix) in made]
    allowed = _counted(before)
    allowed.subtract(_counted(mended))
    earliest = min((_phase(finding.code) for finding in mended), default=_PLAN)
    more = [entry for entry, count in _counted(after).items() if count > allowed[entry]]
    return any(_phase(code) <= earliest for code, _ in more)


def _counted(findings: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((finding.code, finding.primary.source.name if finding.primary else "") for finding in findings)


def _phase(code: str) -> int:
    """The phase that makes a finding: each runs only where the ones before it found no error."""
    if code == _ASSERTION_FAILED or code[3] == "7":
        return _PLAN
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
