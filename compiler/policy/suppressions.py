"""`# trainc: allow TRN303 -- reason`, on a line or above it: takes away the findings that somebody answers for.

A suppression belongs to the line, in whatever file of the user's that line stands; one that suppresses nothing is a finding itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from trainc.dsl.allow_comments import BEGIN
from trainc.dsl.diagnostics import Diagnostic, Edit, Fix
from trainc.dsl.source import Source, Span
from trainc.dsl.tokens import Comment

from .. import hygiene_warnings, pages, suppression_errors
from ..hygiene import deletion
from ..loader import Library, Module
from . import code_lists
from .waivers import suppressible

# What somebody who writes this wants of trainc, however it is spelt; `# trainc check spec.train` is only a comment.
_MEANT = re.compile(r"#+\s*trainc(?:\s*:|\s+allow\s+trn\d)", re.IGNORECASE)
_HEAD = re.compile(r"#+\s*trainc\s*:?\s*(\w*)", re.IGNORECASE)
_PROPER = re.compile(BEGIN)
_CODES = re.compile(r"\s*([^\s,]+(?:\s*,\s*[^\s,]+)*)\s*")
# What people write before a reason instead of `--`, where a reason follows that is no further code.
_MARK = re.compile(r"([-\u2013\u2014:]?\s*)(?=\w)(?!trn\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Allowance:
    """One code of a suppression; `line` is the line whose findings it takes away."""

    code: Span
    comment: Comment
    line: int

    def covers(self, finding: Diagnostic, place: Span) -> bool:
        """Whether a finding, whose place in the user's files is given, is one of those."""
        return finding.code == self.code.text and place.source is self.code.source and place.line == self.line


def apply(
    findings: Sequence[Diagnostic], library: Library, *, planned: bool, fixed: Collection[str] = ()
) -> tuple[Diagnostic, ...]:
    """The findings that no comment takes away, and those about the comments.

    `planned`: every rule has run, so that what suppresses nothing is known. `fixed` are codes that may not be suppressed.
    """
    own = [module for module in library.modules.values() if not module.is_standard]
    read = [part for module in own for part in _read(module, fixed)]
    allowances = [part for part in read if isinstance(part, Allowance)]
    sources = {module.file.source for module in own}
    used: set[Allowance] = set()
    kept: list[Diagnostic] = []
    for finding in findings:
        place = _place(finding, sources)
        covering = [allowance for allowance in allowances if place is not None and allowance.covers(finding, place)]
        used.update(covering)
        kept += [] if covering else [finding]
    kept += [part for part in read if isinstance(part, Diagnostic)]
    if planned:
        kept += _unused(allowances, used, library.root)
    return tuple(kept)


def _place(finding: Diagnostic, sources: set[Source]) -> Span | None:
    """The place of a finding; the nearest in a file of the user's where it lies in the standard library."""
    spans = [finding.primary, *(related.span for related in finding.related)]
    return next((span for span in spans if span is not None and span.source in sources), None)


def _read(module: Module, fixed: Collection[str]) -> Iterator[Allowance | Diagnostic]:
    for comment in module.file.comments:
        if not _MEANT.match(comment.text):
            continue
        proper = _PROPER.match(comment.text)
        if proper is None:
            yield _malformed(comment)
        else:
            yield from _codes(comment, proper.end(), fixed)


def _malformed(comment: Comment) -> Diagnostic:
    head = _HEAD.match(comment.text)
    assert head is not None, "_MEANT matches no less"
    word = head[1]
    message = f"`{word}` is nothing that trainc understands" if word and word != "allow" else "not the form that trainc understands"
    return suppression_errors.malformed(_part(comment, *head.span(1 if word else 0)), _part(comment, 0, head.end()), word, message)


def _codes(comment: Comment, start: int, fixed: Collection[str]) -> Iterator[Allowance | Diagnostic]:
    dashes = comment.text.find("--", start)
    end = dashes if dashes >= 0 else len(comment.text)
    listed = _CODES.match(comment.text, start, end)
    if listed is None:
        yield suppression_errors.malformed(comment.span, comment.span, "", "a suppression that names no code")
    elif dashes >= 0 and listed.end() < end:
        yield suppression_errors.malformed(_part(comment, listed.end(), end), comment.span, "", "codes are separated by commas")
    elif dashes < 0 or not comment.text[dashes:].strip("- \t"):
        mark = _MARK.match(comment.text, listed.end(), end)
        yield suppression_errors.without_reason(comment.span, _within(comment, *mark.span(1)) if mark and dashes < 0 else None)
    else:
        for found in re.finditer(r"[^\s,]+", listed[1]):
            yield _code(comment, _part(comment, listed.start(1) + found.start(), listed.start(1) + found.end()), fixed)


def _code(comment: Comment, code: Span, fixed: Collection[str]) -> Allowance | Diagnostic:
    if code.text not in pages.codes():
        return suppression_errors.unknown_code(code, code_lists.meant(code.text))
    if code.text in fixed:
        return suppression_errors.not_suppressible(code, "the project's settings say so")
    if not suppressible(code.text):
        return suppression_errors.not_suppressible(code, "it is about a comment" if code.text >= "TRN9" else "a run fails on it")
    return Allowance(code, comment, _covered_line(comment))


def _covered_line(comment: Comment) -> int:
    """The comment's own line, or the next that is no comment where it stands alone."""
    source, line = comment.span.source, comment.span.line
    if source.line_text(line)[: comment.span.column - 1].strip():
        return line
    last = len(source.line_starts)
    while line < last and source.line_text(line).lstrip().startswith("#"):
        line += 1
    return line


def _unused(allowances: Sequence[Allowance], used: set[Allowance], root: Module) -> Iterator[Diagnostic]:
    # In an imported file another spec may be the one that needs it.
    for allowance in allowances:
        if allowance not in used and allowance.code.source is root.file.source:
            kept = [other for other in used if other.comment is allowance.comment]
            yield hygiene_warnings.unused_suppression(allowance.code, _without(allowance, kept))


def _without(allowance: Allowance, kept: Sequence[Allowance]) -> Fix:
    """Deletes the comment; one code of it where others still have their use."""
    if not kept:
        return Fix("delete the comment", (deletion(allowance.comment.span),))
    code, text = allowance.code, allowance.code.source.text
    # With the comma on the side of a code that stays: fixes of neighbours then never overlap.
    if any(other.code.start < code.start for other in kept):
        start, end = len(text[: code.start].rstrip(", \t")), code.end
    else:
        start, end = code.start, code.end + len(text[code.end :]) - len(text[code.end :].lstrip(", \t"))
    return Fix(f"delete `{code.text}`", (Edit(Span(code.source, start, end), ""),))


def _within(comment: Comment, start: int, end: int) -> Span:
    return Span(comment.span.source, comment.span.start + start, comment.span.start + end)


def _part(comment: Comment, start: int, end: int) -> Span:
    """Some characters of a comment, without blanks around them."""
    text = comment.text[start:end]
    start += len(text) - len(text.lstrip())
    return _within(comment, start, start + len(text.strip()))
