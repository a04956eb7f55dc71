from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
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
