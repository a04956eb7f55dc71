"""The command line."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
from typing import NoReturn

from trainc.dsl.version import VERSION

_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)


def main() -> None:
    """Runs trainc; exits with 0 when clean, 1 with findings, 2 on wrong usage or unreadable input, 3 on a defect of trainc."""
    # Answered before anything heavy is imported: editors and CI ask often.
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"trainc {VERSION}")
        return
    # A command makes many objects and little garbage: to look for it after every 700 costs milliseconds at start-up alone.
    gc.set_threshold(100_000)
    from .group import COMPLETING, trainc

    if COMPLETING in os.environ:
        from .completing import register

        register()

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal or pipe of another encoding shows what it lacks as escapes.
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            trainc.main(prog_name="trainc", standalone_mode=True)
        finally:
            sys.stdout.flush()
    except Exception as defect:  # noqa: BLE001 - the one place where a bug becomes a message
        if isinstance(defect, OSError) and defect.errno in _DISK_FAULTS:
            _give_up_output(defect)
        _report_defect(defect)
        sys.exit(3)


def _give_up_output(fault: OSError) -> NoReturn:
    print(f"error: cannot write the output: {(fault.strerror or str(fault)).lower()}", file=sys.stderr)
    # At its own end Python would write once more what could not be written, and complain.
    os._exit(2)


def _report_defect(defect: Exception) -> None:
    import traceback

    place = traceback.extract_tb(defect.__traceback__)[-1]
    print(f"error[TRN000]: a defect of trainc: {type(defect).__name__}: {defect}", file=sys.stderr)
    print(f"  at {place.name}, line {place.lineno} of {place.filename.rpartition('trainc/')[2]}", file=sys.stderr)
    print("  help: please report it with the spec that shows it", file=sys.stderr)
