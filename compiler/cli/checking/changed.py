"""Asks git which specs changed since a revision."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from ... import git
from ...loader import load
from ...reading import UnreadableError
from ...uses import located, uses
from .analysing import Spec


def affected(specs: Sequence[Spec], revision: str) -> list[Spec]:
    """The specs that changed since a revision, or that import, directly or not, a file that did."""
    if not git.is_there():
        raise click.UsageError("--changed-since needs git, which is not there")
    folders = {_folder(spec) for spec in specs}
    repositories = {_repository(folder) for folder in folders}
    changed = {path for repository in sorted(repositories) for path in _changed(repository, revision)}
    return [spec for spec in specs if not changed.isdisjoint(_files(spec))]


def _folder(spec: Spec) -> Path:
    if spec.path == "-":
        raise click.UsageError("--changed-since goes with files, not with standard input")
    return located(spec.path).parent


def _files(spec: Spec) -> set[Path]:
    own = {located(spec.path)}
    try:
        return own | uses(load(Path(spec.path))).files
    except UnreadableError:
        return own


def _repository(folder: Path) -> Path:
    top = git.top(folder)
    if top is None:
        raise click.UsageError(f"--changed-since needs a git repository, {os.path.relpath(folder)} is in none")
    return top


def _changed(repository: Path, revision: str) -> set[Path]:
    """Files that differ from the revision, deleted ones too, and those that git does not know yet."""
    commit = git.commit(revision, repository)
    if commit is None:
        raise click.UsageError(f"--changed-since: {os.path.relpath(repository)} has no revision `{revision}`")
    differing = git.ask("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", commit, "--", folder=repository)
    added = git.ask("ls-files", "--others", "--exclude-standard", "-z", folder=repository)
    for result in (differing, added):
        if result.returncode != 0:
            raise click.UsageError(f"--changed-since: git says: {git.line(result.stderr)}")
    names = git.line(differing.stdout + added.stdout).split("\0")
    return {repository / name for name in names if name}
