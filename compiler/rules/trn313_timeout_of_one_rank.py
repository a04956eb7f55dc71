"""TRN313: `timeout` is set for a run of one rank.

Why: it bounds how long ranks wait for each other, and one rank waits for nobody: a run that hangs would go on hanging. Timeouts
that were set and did not act are a known puzzle (huggingface/accelerate#3711).
Example:
  cluster prod { nodes = 1, gpus_per_node = 1 }
  mesh wide { dp_shard = 1 }
  strategy = ddp
  stage pretrain { timeout = 30min }
Instead:
  cluster prod { nodes = 1, gpus_per_node = 8 }
  mesh wide { dp_shard = 8 }
  strategy = fsdp2
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import StageSpec
from . import Finding

SEVERITY = Severity.WARNING


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """A timeout that was left to its default is nobody's mistake."""
    if stage.mesh.size == 1 and stage.timeout != StageSpec.settings["timeout"].default:
        yield Finding(
            at="timeout",
            message="`timeout` does nothing on one rank, which waits for nobody",
            help="leave it out",
            also={"mesh": f"`{stage.mesh.name}` has 1 rank"},
        )
