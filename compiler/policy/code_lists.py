"""Reads the codes that somebody wants selected, ignored or weighed otherwise, and says which of them make no sense."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, Severity
from trainc.dsl.source import Span
from trainc.dsl.suggest import closest, edit_distance

from .. import pages, settings_errors
from .waivers import waivable


def meant(code: str) -> str | None:
    """The code that was probably meant, one of the same family first; two wrong digits could be any."""
    known = pages.codes()
    near = closest(code, [*(entry for entry in known if entry[3] == code[3:4]), *known])
    return near if near is not None and edit_distance(code.casefold(), near.casefold()) <= 1 else None


def unknown(pattern: str, span: Span | None = None) -> Diagnostic | None:
    """A finding where no code is the pattern or begins with it."""
    known = pages.codes()
    if pattern.startswith("TRN") and any(code.startswith(pattern) for code in known):
        return None
    return settings_errors.unknown_code(pattern, meant(pattern), span)


def not_ignorable(pattern: str, span: Span | None = None) -> Diagnostic | None:
    """A finding where nothing that the pattern means can be ignored."""
    members = [code for code in pages.codes() if code.startswith(pattern)]
    if any(waivable(code) for code in members):
        return None
    return settings_errors.must_stay(pattern, "ignored", _why(members[0]) if members == [pattern] else None, span)


def not_lowerable(code: str, severity: Severity, span: Span | None = None) -> Diagnostic | None:
    """A finding where a code has to stay an error."""
    if severity is Severity.ERROR or waivable(code):
        return None
    return settings_errors.must_stay(code, f"made a {severity.value}", _why(code), span)


def _why(code: str) -> str | None:
    """What goes wrong without it, by its page."""
    page = pages.page(code)
    if page is None:
        return None
    first = " ".join(page.why.split()).split("; ")[0]
    return first.partition(" (")[0].rstrip(".")
