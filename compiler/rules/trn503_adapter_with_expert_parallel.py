"""TRN503: an adapter together with expert parallelism.

Why: experts that ranks share and adapters that they copy are reduced over different groups; engines refused the pair for long
(vllm-project/vllm#38021), and this one has not been shown to equal one process.
Example:
  stage tuned = pretrain { adapter = lora { targets = [q, v] } }
  mesh wide { dp_shard = 16, ep = 8 }
  model small { architecture { family = mixtral, experts = 8, experts_per_token = 2 } }
Instead:
  mesh wide { dp_shard = 16, ep = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Refuses the pair."""
    if stage.adapter is None or stage.mesh.ep == 1:
        return
    yield Finding(
        at="mesh.ep",
        message=f"`ep` {stage.mesh.ep} with the adapter `{stage.adapter.variant}` is not built yet",
        help="set `ep = 1`: frozen experts are sharded over `dp_shard`",
        also={"adapter": f"`adapter` is {stage.adapter.variant}"},
    )
