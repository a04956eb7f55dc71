"""Writes a file whole or not at all: whoever reads it never sees half of it."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress


def write(path: str, content: bytes) -> None:
    """Replaces what a file holds, keeps its mode, and follows links; raises OSError."""
    target = os.path.realpath(path)
    if os.path.lexists(target) and not os.path.isfile(target):
        # A pipe or /dev/stdout is written to; it cannot be replaced.
        with open(target, "wb") as stream:
            stream.write(content)
        return
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", path)
    spare = f"{target}.{os.getpid()}.tmp"
    try:
        with open(spare, "xb") as stream:
            stream.write(content)
        if os.path.exists(target):
            shutil.copymode(target, spare)
        os.replace(spare, target)
    except OSError:
        with suppress(OSError):
            os.unlink(spare)
        raise
