"""TRN621: `packing` with flash attention and several samples at once.

Why: transformers finds the documents of a sample in its positions, and for flash attention only where a micro-batch holds one
sample; with more it says nothing, and every document sees those before it (huggingface/transformers#40002, alex-hh/profam#495).
Example:
  model small { attention = flash }
  data corpus { packing = true }
Instead:
  batch { global = 64, micro = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.batch import plan_batch
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for micro-batches of one sample."""
    if stage.model.attention != "flash" or not stage.data.packing:
        return
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    if batch is None or batch.micro == 1:
        return
    yield Finding(
        at="batch.micro",
        message=f"`flash` keeps documents apart in micro-batches of one sample only, and `micro` is {batch.micro}",
        help="set `micro = 1` and a longer `sequence`; or `attention = sdpa`",
        also={"data.packing": "`packing` is true", "model.attention": "`attention` is flash"},
    )
