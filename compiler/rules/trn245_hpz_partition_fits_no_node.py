"""TRN245: `hpz_partition` is no part of a node's ranks.

Why: with hpZ, the ranks of a group hold a second copy of the parameters, so that the backward pass gathers inside a node
(arXiv:2306.10209). Groups that do not divide a node cross it and gain nothing; on one node a group of all ranks is the first copy
once more, which DeepSpeed's own examples switch off (deepspeedai/DeepSpeedExamples#717).
Example:
  strategy = zero3 { hpz_partition = 3 }
Instead:
  strategy = zero3 { hpz_partition = 8 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .choices import divisors, one_of
from .zero_stages import is_zero3


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the group with the ranks of a node, and with all of them."""
    strategy, cluster = stage.strategy, stage.mesh.cluster
    if not is_zero3(strategy) or strategy.hpz_partition == 1:
        return
    ranks = cluster.gpus_per_node
    fitting = [size for size in divisors(ranks) if 1 < size < cluster.nodes * ranks]
    if strategy.hpz_partition in fitting:
        return
    what = f"all {ranks} ranks" if strategy.hpz_partition == ranks else f"no part of a node's {ranks} ranks"
    yield Finding(
        at="strategy.hpz_partition",
        message=f"`hpz_partition` {strategy.hpz_partition} is {what}",
        help=f"set {one_of('hpz_partition', fitting)}" if fitting else "leave it out",
        also={"mesh.cluster.gpus_per_node": f"`gpus_per_node` is {ranks}"},
    )
