"""What can hinder the rewriting of a spec."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, error


def cannot_write(path: str, reason: str) -> Diagnostic:
    """TRN849: a spec cannot be rewritten.

    Why: a new text takes the place of the old one whole, through a file beside it; where that fails, the old one stays.
    Example: `trainc fmt spec.train` in a folder where you may not write
    Instead: get the right to write there, or print the changes with `trainc fmt --diff`.
    """
    return error("TRN849", f"cannot rewrite `{path}`: {reason.lower()}", None, help="it is as it was; see the changes with --diff")
