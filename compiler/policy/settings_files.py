"""Looks for the files that may hold a project's settings; costs nothing but asking for their names where there are none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

OWN, SHARED = "trainc.toml", "pyproject.toml"


class SettingsError(Exception):
    """Settings that make no sense; `findings` say why."""

    def __init__(self, findings: Iterable[Diagnostic]):
        self.findings = tuple(findings)
        super().__init__(self.findings[0].message)


def candidates(spec: str) -> Iterator[Path]:
    """The files to try for a spec, or for standard input: nearest first, up to the root of its git repository.

    A pyproject.toml that does not name trainc is none of them.
    """
    folder = _folder(spec)
    while folder is not None:
        own, shared = os.path.join(folder, OWN), os.path.join(folder, SHARED)
        if os.path.isfile(own):
            yield Path(own)
        if os.path.isfile(shared) and _names_trainc(shared):
            yield Path(shared)
        above = os.path.dirname(folder)
        folder = None if above == folder or os.path.exists(os.path.join(folder, ".git")) else above


def _folder(spec: str) -> str | None:
    if spec == "-":
        return os.getcwd()
    try:
        return os.path.dirname(os.path.realpath(spec))
    except (OSError, ValueError):
        return None


def _names_trainc(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return b"trainc" in file.read()
    except OSError:
        # Other tools say what is wrong with it; it need not hold anything for this one.
        return False
