"""Prints what a check found in the format that was asked for, or writes it to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from trainc.dsl.formats import renderer
from trainc.dsl.render_text import summary
from trainc.dsl.report import Checked, Report, RulePage

from . import shared


def show(checked: Iterable[Checked], style: str, file: str | None, strict: bool) -> None:
    """The findings, on standard output or in a file; ends the command with exit code 2 where that cannot be written."""
    colour = file is None and shared.use_color(sys.stdout)
    report = Report(tuple(checked), os.getcwd(), _page, strict, colour)
    text = renderer(style)(report)
    if file is None:
        print(text, end="")
    else:
        _write(file, text)
        print(f"{summary(report.findings)}: written to {file}")


def _write(file: str, text: str) -> None:
    from .. import output_errors, whole_file

    try:
        whole_file.write(file, text.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as fault:
        shared.fail(output_errors.cannot_write(file, getattr(fault, "strerror", None) or str(fault)), shared.USAGE)


def _page(code: str) -> RulePage | None:
    from .. import pages

    found = pages.page(code)
    return RulePage(found.fault, found.why, found.text) if found is not None else None
