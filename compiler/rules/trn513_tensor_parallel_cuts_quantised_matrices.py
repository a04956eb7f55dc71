"""TRN513: tensor parallelism over quantised matrices.

Why: entries are packed row by row and share scales in blocks that go over the border of a slice, so that a slice along the inputs
is no part of the bytes. vLLM refused the pair for weights that come quantised (vllm-project/vllm#13122).
Example:
  model few = small { quantization = nf4 }
  mesh wide { dp_shard = 2, tp = 8 }
  stage tuned = pretrain { model = few, adapter = lora {} }
Instead:
  mesh wide { dp_shard = 16, tp = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Refuses the pair."""
    kind, tp = stage.model.quantization, stage.mesh.tp
    if kind != "none" and tp > 1:
        yield Finding(
            at="mesh.tp",
            message=f"`tp` {tp} cannot cut matrices in {kind}",
            help="set `tp = 1`, and shard over `dp_shard` instead",
            also={"model.quantization": f"`quantization` is {kind}"},
        )
