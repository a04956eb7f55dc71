"""What can hinder `trainc init`."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, error


def exists(path: str) -> Diagnostic:
    """TRN847: the spec that `init` would write is there already.

    Why: what you wrote would be lost; `renku init` replaced a Dockerfile without a warning
    (SwissDataScienceCenter/renku-python#406).
    Example:
      $ trainc init mine
      $ trainc init mine
    Instead:
      $ trainc init mine
      $ trainc init other
    """
    return error("TRN847", f"`{path}` exists already", None, help="name another folder: trainc init DIR")


def cannot_write(folder: str, reason: str) -> Diagnostic:
    """TRN848: `init` cannot write into a folder.

    Why: nothing useful can be left there, and a program that does not ask crashes there (bitprim/bitprim#1).
    Example: $ trainc init spec.train/mine
    Instead: $ trainc init mine
    """
    return error("TRN848", f"cannot write into `{folder}`: {reason.lower()}", None, help="name a folder where you may write")
