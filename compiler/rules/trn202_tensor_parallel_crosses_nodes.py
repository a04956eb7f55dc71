"""TRN202: the ranks of a tensor-parallel group lie in more than one node.

Why: every layer sums its output over the group, and between nodes that takes longer than fewer GPUs would
(stas00/ml-engineering#120; llm-analysis refuses such a degree).
Example:
  cluster prod { nodes = 4, gpus_per_node = 4 }
  mesh wide { dp_shard = 2, tp = 8 }
Instead:
  mesh wide { dp_shard = 4, tp = 4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .choices import one_of
from .tensor_parallel import legal_degrees

WAIVABLE = True


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that groups of `tp` neighbouring ranks fill each node; a cluster of one node has nothing to cross."""
    tp, cluster = stage.mesh.tp, stage.mesh.cluster
    if cluster.nodes == 1 or cluster.gpus_per_node % tp == 0:
        return
    yield Finding(
        at="mesh.tp",
        message=f"`tp` {tp} does not fit into the nodes of `{cluster.name}`, which have {cluster.gpus_per_node} GPUs each",
        help=f"set {one_of('tp', legal_degrees(stage))}",
        also={"mesh.cluster.gpus_per_node": f"{cluster.gpus_per_node} GPUs in a node"},
    )
