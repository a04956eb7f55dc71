"""TRN403: a node runs more loader processes than it has processor cores.

Why: each rank starts its own, and what shares a core waits for it while the GPUs wait for data; torch's DataLoader warns of one
rank's share when the job has begun, and a run with 104 of them on 23 cores froze (embeddings-benchmark/mteb#1331).
Example:
  cluster prod { cpus_per_node = 32 }
  data corpus { workers = 8 }
Instead:
  data corpus { workers = 4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import StageSpec
from . import Finding

SEVERITY = Severity.WARNING


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the loaders of a node's ranks with its cores, where those are known."""
    cluster, workers = stage.mesh.cluster, stage.data.workers
    cores = cluster.cpus_per_node
    if cores is not None and workers * cluster.gpus_per_node > cores:
        yield Finding(
            at="data.workers",
            message=f"`workers` {workers} x {cluster.gpus_per_node} ranks makes {workers * cluster.gpus_per_node} processes a node,"
            f" `{cluster.name}` has {cores} cores",
            help=f"set `workers = {cores // cluster.gpus_per_node}`",
            also={"mesh.cluster.cpus_per_node": "the cores of a node"},
        )
