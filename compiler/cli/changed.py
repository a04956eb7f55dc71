"""Asks git which specs changed since a revision."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import click

from ..loader import load
from ..reading import UnreadableError
from . import inputs
from .analysing import Spec


def affected(specs: Sequence[Spec], revision: str) -> list[Spec]:
    """The specs that changed since a revision, or that import, directly or not, a file that did."""
    folders = {_folder(spec) for spec in specs}
    repositories = {_repository(folder) for folder in folders}
    changed = {path for repository in sorted(repositories) for path in _changed(repository, revision)}
    return [spec for spec in specs if not changed.isdisjoint(_files(spec))]


def _folder(spec: Spec) -> Path:
    if spec.path == "-":
        raise click.UsageError("--changed-since goes with files, not with standard input")
    return inputs.located(spec.path).parent


def _files(spec: Spec) -> set[Path]:
    own = {inputs.located(spec.path)}
    try:
        return own | inputs.files(load(Path(spec.path)))
    except UnreadableError:
        return own


def _repository(folder: Path) -> Path:
    result = _git(folder, "rev-parse", "--show-toplevel")
    if result.returncode != 0:
        raise click.UsageError(f"--changed-since needs a git repository, {os.path.relpath(folder)} is in none")
    return Path(result.stdout.rstrip("\n")).resolve()


def _changed(repository: Path, revision: str) -> set[Path]:
    """Files that differ from the revision, deleted ones too, and those that git does not know yet."""
    known = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if known.returncode != 0:
        raise click.UsageError(f"--changed-since: {os.path.relpath(repository)} has no revision `{revision}`")
    differing = _git(repository, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", known.stdout.strip(), "--")
    added = _git(repository, "ls-files", "--others", "--exclude-standard", "-z")
    for result in (differing, added):
        if result.returncode != 0:
            raise click.UsageError(f"--changed-since: git says: {result.stderr.strip()}")
    names = (differing.stdout + added.stdout).split("\0")
    return {repository / name for name in names if name}


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", check=False)
    except OSError as fault:
        raise click.UsageError(f"--changed-since needs git, which cannot be started: {fault.strerror}") from fault
