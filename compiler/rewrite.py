"""Gives a file of the user's a new content: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from . import rewrite_errors


def rewrite(path: Path, content: bytes) -> Diagnostic | None:
    """Replaces what a file holds, and keeps its mode and owner; a link stays one, and what it leads to is rewritten."""
    draft: Path | None = None
    try:
        target = path.resolve(strict=True)
        # A rename asks nobody whether the file itself may be written.
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        # Beside the target, so that the rename stays on one file system.
        descriptor, name = tempfile.mkstemp(prefix=".trainc.", dir=target.parent)
        draft = Path(name)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        _dress(draft, target.stat())
        draft.replace(target)
    except OSError as fault:
        if draft is not None:
            draft.unlink(missing_ok=True)
        return rewrite_errors.cannot_write(str(path), fault.strerror or str(fault))
    return None


def _dress(draft: Path, like: os.stat_result) -> None:
    """Gives a draft the owner and mode of the file that it will replace."""
    if hasattr(os, "chown") and (like.st_uid, like.st_gid) != (draft.stat().st_uid, draft.stat().st_gid):
        # Only root may give files away; a group of one's own is kept where the system lets it.
        with contextlib.suppress(PermissionError):
            os.chown(draft, like.st_uid, like.st_gid)
    draft.chmod(like.st_mode & 0o7777)
