"""Prints what a check found in the format that was asked for, or writes it to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from trainc.dsl.formats import renderer
from trainc.dsl.render_text import summary
from trainc.dsl.report import Checked, Report, RulePage

from . import shared


@dataclass(frozen=True)
class Shown:
    """How findings are shown: the format, the file to write it to, and whether warnings weigh as much as errors."""

    style: str
    file: str | None = None
    strict: bool = False


def show(checked: Iterable[Checked], how: Shown, to_stderr: bool = False) -> None:
    """The findings, on a standard stream or in a file; ends the command with exit code 2 where that cannot be written."""
    stream = sys.stderr if to_stderr else sys.stdout
    colour = how.file is None and shared.use_color(stream)
    report = Report(tuple(checked), os.getcwd(), _page, how.strict, colour)
    text = renderer(how.style)(report)
    if how.file is None:
        print(text, end="", file=stream)
    else:
        _write(how.file, text)
        print(f"{summary(report.findings)}: written to {how.file}", file=stream)


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
