"""What can hinder the rewriting of a spec."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, error


def cannot_write(path: str, reason: str) -> Diagnostic:
    """TRN849: a spec cannot be rewritten.

    Why: a new text takes the place of the old one whole, through a file beside it; where that fails, the old one stays. On a full
    disk `cargo fmt` left an empty file in its place (rust-lang/rustfmt#6041).
    Example:
      $ cat loose.train
      let  a=1
      $ (ulimit -f 0; trainc fmt loose.train)
    Instead:
      $ cat loose.train
      let  a=1
      $ trainc fmt loose.train
    """
    return error("TRN849", f"cannot rewrite `{path}`: {reason.lower()}", None, help="it is as it was; see the changes with --diff")
