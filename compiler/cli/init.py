"""`trainc init`: a first spec."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from .. import init_errors
from ..loader import STDLIB
from . import shared

RECIPE = STDLIB / "recipes"

WORKFLOW = """\
name: specs
on: [push, pull_request]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - run: pip install trainc
      - run: trainc fmt --check .
      - run: trainc check --strict .
"""

PRE_COMMIT = """\
repos:
  - repo: local
    hooks:
      - id: trainc-check
        name: trainc check
        entry: trainc check
        language: system
        files: \\.train$
      - id: trainc-fmt
        name: trainc fmt
        entry: trainc fmt
        language: system
        files: \\.train$
"""


@click.command(epilog="Example: trainc init my-run && trainc run my-run/first.train")
@click.argument("folder", default=".", type=click.Path(file_okay=False))
@click.option("--template", default="first", type=click.Choice(["first"]), help="Which spec.", show_default=True)
def command(folder: str, template: str) -> None:
    """Write a commented spec that runs here, a .gitignore, a CI workflow and a pre-commit entry into FOLDER."""
    files = {
        f"{template}.train": (RECIPE / f"{template}.train").read_text(encoding="utf-8"),
        ".gitignore": "runs/\n",
        ".github/workflows/specs.yml": WORKFLOW,
        ".pre-commit-config.yaml": PRE_COMMIT,
    }
    kept = [name for name in files if (Path(folder) / name).exists()]
    if f"{template}.train" in kept:
        shared.fail(init_errors.exists(str(Path(folder) / f"{template}.train")))
    try:
        for name in files.keys() - set(kept):
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(files[name], encoding="utf-8")
    except OSError as fault:
        shared.fail(init_errors.cannot_write(folder, fault.strerror or str(fault)))
    _say(folder, template, files, kept)


def _say(folder: str, template: str, files: dict[str, str], kept: list[str]) -> None:
    for name in files:
        print(f"{'kept' if name in kept else 'wrote'} {Path(folder) / name}")
    spec = Path(folder) / f"{template}.train"
    print(f"next: trainc check {shlex.quote(str(spec))}, then trainc run {shlex.quote(str(spec))}")
