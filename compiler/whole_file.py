"""Writes a file whole or not at all: whoever reads it never sees half of it."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write(path: str, content: bytes) -> None:
    """Replaces what a file holds, and keeps its mode and owner; a link stays one, what it leads to is written. Raises OSError."""
    target = Path(os.path.realpath(path))
    if os.path.lexists(target) and not target.is_file():
        # A pipe or /dev/stdout is written to; it cannot be replaced.
        target.write_bytes(content)
        return
    before = target.stat() if target.exists() else None
    # A rename asks nobody whether the file itself may be written.
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    # Beside the target, so that the rename stays on one file system.
    descriptor, name = tempfile.mkstemp(prefix=".trainc.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        _dress(Path(name), before)
        os.replace(name, target)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        raise


def _dress(draft: Path, like: os.stat_result | None) -> None:
    """Gives a draft the owner and mode of the file that it will replace, or those of a new file."""
    if like is None:
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        return
    own = draft.stat()
    if hasattr(os, "chown") and (like.st_uid, like.st_gid) != (own.st_uid, own.st_gid):
        # Only root may give files away; a group of one's own is kept where the system lets it.
        with suppress(PermissionError):
            os.chown(draft, like.st_uid, like.st_gid)
    draft.chmod(like.st_mode & 0o7777)
