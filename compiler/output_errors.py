"""What can hinder writing a file that a command was asked for."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, error


def cannot_write(path: str, reason: str) -> Diagnostic:
    """TRN861: a file cannot be written.

    Why: whoever reads the file next would take an old one, or none, for the result; a scanner that reported success left a job to
    read one of an earlier run (hahwul/dalfox#1150).
    Example: $ trainc check spec.train --format sarif --output spec.train/report.sarif
    Instead: $ trainc check spec.train --format sarif --output report.sarif
    """
    return error("TRN861", f"cannot write `{path}`: {reason.lower()}", None, help="name a file in a folder where you may write")
