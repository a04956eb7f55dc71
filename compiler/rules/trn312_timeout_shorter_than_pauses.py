"""TRN312: `timeout` is shorter than pauses of a sound run.

Why: ranks also wait for each other while rank 0 reads the weights or writes a checkpoint, and in the first step; a run of full
finetuning was ended while its checkpoint was being saved (meta-pytorch/torchtune#2093).
Example:
  stage pretrain { timeout = 10s }
Instead:
  stage pretrain { timeout = 30min }
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.dsl.diagnostics import Severity

from ..spec import StageSpec
from . import Finding

SEVERITY = Severity.WARNING
# A checkpoint of 10 GB takes so long at 170 MB/s, which is a busy network file system.
SHORTEST_SECONDS = 60


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks at the timeout where ranks wait for each other."""
    if stage.mesh.size > 1 and stage.timeout < SHORTEST_SECONDS:
        yield Finding(
            at="timeout",
            message=f"`timeout` of {stage.timeout:g} s would end a run whose rank 0 writes a checkpoint for longer",
            help=f"set at least `timeout = {SHORTEST_SECONDS}s`, or leave it out for an hour",
        )
