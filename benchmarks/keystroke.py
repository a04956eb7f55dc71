"""How long the language server takes to check a file of 500 lines again after one keystroke: in process, no protocol."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from lsprotocol import types
from trainc.compiler.lsp import diagnostics
from trainc.compiler.lsp.buffers import Buffer
from trainc.compiler.lsp.workspace import Workspace

LINES = 500
ROUNDS = 40

HEAD = """import std.gpus
import std.models.tiny

data corpus { train = python_stdlib, holdout = 5%, sequence = 256 }
"""

CLUSTER = """
## Cluster {number}: where it stands and who runs it.
## More than one line is usual.
cluster site{number} {{
  gpu           = gpus.h100_sxm
  nodes         = {number}            # ours alone
  gpus_per_node = 8
  inter_node    = 400 Gb/s
  cpu_memory    = 2 TB
}}

mesh wide{number} {{
  cluster  = site{number}
  dp_shard = {ranks}
}}
"""

STAGE = """
## Stage {number}.
stage stage{number} {{
  model     = tiny.llama_1m
  data      = corpus
  mesh      = wide{number}
  batch     {{ global = {samples}, micro = 2 }}
  optimizer = adamw {{ lr = 1e-3, weight_decay = 0.1 }}
  schedule  = cosine {{ warmup = 5%, floor = 10% }}
  duration  = 100 steps
  eval      {{ every = 50 steps, batches = 8 }}
}}
assert stage{number}.batch.accumulation == 2
"""


def spec(stages: int) -> str:
    """A spec of LINES lines: clusters and meshes, and so many stages."""
    text = HEAD
    number = 0
    while text.count("\n") < LINES:
        number += 1
        text += CLUSTER.format(number=number, ranks=8 * number)
        if number <= stages:
            text += STAGE.format(number=number, samples=32 * number)
    return text


def milliseconds(text: str, folder: Path) -> Iterator[float]:
    """The times of one keystroke each: a letter more in a comment at the end."""
    path = folder / "spec.train"
    workspace = Workspace(folders=[folder])
    for version in range(ROUNDS):
        # The processor's own time: what else runs on the machine does not count.
        start = time.process_time()
        workspace.buffers.put(path, Buffer(path.as_uri(), version, f"{text}\n# {'x' * version}"))
        findings = diagnostics.by_file(workspace, [path])[path]
        yield (time.process_time() - start) * 1000
        if any(finding.severity is types.DiagnosticSeverity.Error for finding in findings):
            sys.exit(f"the spec is meant to be sound: {findings[0].message}")


def main() -> None:
    """Prints a row for each number of stages."""
    for stages in (1, 4, 12):
        with TemporaryDirectory() as folder:
            times = list(milliseconds(spec(stages), Path(folder).resolve()))
        print(f"{LINES} lines, {stages:2} stages: {min(times):5.1f} ms at least, {statistics.median(times):5.1f} ms in the middle")


if __name__ == "__main__":
    main()
