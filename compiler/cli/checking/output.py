"""Prints what a check found in the format that was asked for, or writes it to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from trainc.dsl.formats import renderer
from trainc.dsl.render_text import summary
from trainc.dsl.report import Checked, Report, RulePage

from .. import shared

FOR_PEOPLE = ("text", "concise")


@dataclass(frozen=True)
class Shown:
    """How findings are shown: the format, the file, whether warnings weigh as much as errors, what to say where there are none."""

    style: str
    file: str | None = None
    strict: bool = False
    nothing: str = "no findings"


def show(checked: Iterable[Checked], how: Shown, *, to_stderr: bool = False, remarks: Iterable[str] = ()) -> None:
    """The findings, on a standard stream or in a file; ends the command with exit code 2 where that cannot be written.

    `remarks` follow for people; beside a machine's format they go to the standard error.
    """
    stream = sys.stderr if to_stderr else sys.stdout
    colour = how.file is None and shared.use_color(stream)
    report = Report(tuple(checked), os.getcwd(), _page, how.strict, how.nothing, colour)
    text = renderer(how.style)(report)
    if how.file is None:
        print(text, end="", file=stream)
    else:
        _write(how.file, text)
        print(f"{summary(report.findings)}: written to {how.file}", file=stream)
    for remark in remarks:
        print(remark, file=stream if how.style in FOR_PEOPLE or how.file is not None else sys.stderr)


def _write(file: str, text: str) -> None:
    from ... import output_errors, whole_file

    try:
        whole_file.write(file, text.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as fault:
        shared.fail(output_errors.cannot_write(file, getattr(fault, "strerror", None) or str(fault)), shared.USAGE)


def _page(code: str) -> RulePage | None:
    from ... import pages

    found = pages.page(code)
    return RulePage(found.fault, found.why, found.text) if found is not None else None
