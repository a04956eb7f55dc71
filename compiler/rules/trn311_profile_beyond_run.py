"""TRN311: the profiler is to trace steps that the run does not have.

Why: a trace is written after its last step; torch's profiler waits for a step that never comes and leaves nothing behind, without a
word (pytorch/pytorch#91682).
Example:
  stage pretrain { logging { profile { step = 2000 } } }
Instead:
  stage pretrain { logging { profile { step = 20, count = 3 } } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .run_length import total_steps


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the last step traced with the run, where its length is known."""
    chosen, total = stage.logging.profile, total_steps(stage)
    if chosen is None or not total:
        return
    last = chosen.step + chosen.count - 1
    if last > total:
        yield Finding(
            at="logging.profile.step" if chosen.step > total else "logging.profile.count",
            message=f"the profiler would write after step {last} of a run of {total} steps",
            help=f"trace steps up to {total}",
            also={"duration": f"the run is {total} steps long"},
        )
