"""Asks the runtime what is learnt of a stage's first rows, token by token."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainc.dsl.diagnostics import Diagnostic

from ..bundle import Bundle
from . import faults
from .launch import cannot_launch


def sample(bundle: Bundle, folder: str, data_root: Path, count: int, python: str = sys.executable) -> str | Diagnostic:
    """The text of the first `count` documents of the stage in a bundle's `folder`; tokens that are learnt are marked by `+`."""
    lack = cannot_launch(python)
    if lack is not None:
        return lack
    with tempfile.TemporaryDirectory() as place:
        for path, content in bundle.files.items():
            if path.startswith(f"{folder}/"):
                (Path(place) / Path(path).name).write_bytes(content)
        command = [python, "-m", "trainc.runtime.data.preview", place, str(data_root), str(count)]
        quiet = {**os.environ, "TRANSFORMERS_VERBOSITY": "error"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return faults.no_sample(lines[-1])
    return "\n".join(line for document in json.loads(done.stdout) for line in _lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    tokens = document["tokens"]
    learnt = sum(learnt for _, _, learnt in tokens)
    yield f"{document['place']}: {len(tokens)} tokens, {learnt} learnt" + ("" if document["fits"] else ", longer than a sample")
    yield from (f"{'+' if learnt else ' '} {token:>7}  {text!r}" for token, text, learnt in tokens)
