from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest
from click.testing import CliRunner, Result
from trainc.compiler.cli.group import trainc
from trainc.compiler.driver import Analysis, analyse

HEAD = """
import std.gpus
import std.models.tiny
cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair { cluster = here, dp_shard = 2 }
precision exact { compute = fp32 }
data corpus { train = python_stdlib, holdout = 5%, sequence = 256 }
stage base {
  model     = tiny.llama_1m
  data      = corpus
  mesh      = pair
  precision = exact
  batch     { global = 16, micro = 4 }
  optimizer = adamw { lr = 1e-3 }
  schedule  = cosine { warmup = 10% }
  duration  = 100 steps
}
"""

Analyse = Callable[..., Analysis]


@pytest.fixture
def analysed(tmp_path: Path) -> Analyse:
    """Analyses a spec that begins with a whole stage `base`, unless it brings its own head."""

    def run(text: str, settings: Mapping[str, str] | None = None, head: str = HEAD) -> Analysis:
        path = tmp_path / "spec.train"
        path.write_text(head + text)
        return analyse(path, settings or {})

    return run


class Check(Protocol):
    """Runs `trainc check` in this process, in the folder of the test."""

    def __call__(self, *arguments: str, command: str = "check") -> Result: ...


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, command: str = "check") -> Result:
        result = CliRunner().invoke(trainc, [command, *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return result

    return run
