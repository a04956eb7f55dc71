"""TRN212: `fsdp2` on data-parallel ranks that share nothing.

Why: with `dp_shard` 1 every rank holds the whole model; nothing is saved, while every layer still pays for being gathered.
That is the opposite of what the strategy is chosen for (mosaicml/llm-foundry#544).
Example:
  mesh wide { dp_shard = 1, dp_replicate = 16 }
  strategy = fsdp2
Instead:
  mesh wide { dp_shard = 16, dp_replicate = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import Fsdp2, StageSpec
from . import Finding

SEVERITY = Severity.WARNING


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that several data-parallel ranks of `fsdp2` share a copy."""
    mesh = stage.mesh
    if not isinstance(stage.strategy, Fsdp2) or mesh.dp_shard > 1 or mesh.data_parallel == 1:
        return
    yield Finding(
        at="strategy",
        message=f"`fsdp2` shards nothing: `{mesh.name}` has `dp_replicate` {mesh.dp_replicate} and `dp_shard` 1",
        help=f"set `strategy = ddp`; or `dp_shard = {mesh.dp_replicate}` in place of `dp_replicate`",
        also={"mesh.dp_replicate": f"`dp_replicate` is {mesh.dp_replicate}"},
    )
