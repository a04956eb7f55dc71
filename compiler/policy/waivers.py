"""Which findings somebody can answer for: all but those on which a run fails."""

from __future__ import annotations

from trainc.dsl.diagnostics import Severity

from .. import pages, rules

# They are about suppressions: a comment that allowed one would have to allow itself.
ABOUT_SUPPRESSIONS = ("TRN901", "TRN902", "TRN903", "TRN904", "TRN905")


def waivable(code: str) -> bool:
    """Whether a finding may be ignored or lowered: a warning, a matter of style, or an error that a run survives."""
    page = pages.page(code)
    return page is not None and (page.severity is not Severity.ERROR or code.startswith("TRN90") or code in rules.waivable())


def suppressible(code: str) -> bool:
    """Whether a comment may take a finding away."""
    return waivable(code) and code not in ABOUT_SUPPRESSIONS
