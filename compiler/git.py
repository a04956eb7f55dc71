"""Asks git; whoever asks says what it means that git is not there, or knows no answer."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def is_there() -> bool:
    """Whether there is a git to ask."""
    return shutil.which("git") is not None


def ask(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """What git says, in a folder or in this one."""
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)


def answer(*arguments: str, folder: Path | None = None) -> bytes | None:
    """What git prints; None where it fails or is not there."""
    try:
        done = ask(*arguments, folder=folder)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def top(folder: Path | None = None) -> Path | None:
    """The folder of the clone that a folder lies in; None outside of any."""
    found = answer("rev-parse", "--show-toplevel", folder=folder)
    return None if found is None else Path(line(found)).resolve()


def commit(revision: str, folder: Path | None = None) -> str | None:
    """The full name of a revision's commit; None where there is no such revision."""
    # The end of options keeps a revision that begins with a dash from being one.
    found = answer("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", folder=folder)
    return None if found is None else line(found)


def line(output: bytes) -> str:
    """A line that git printed, a path of any encoding for example."""
    return output.decode(errors="surrogateescape").removesuffix("\n")
