"""TRN207: `tp` does not divide the vocabulary.

Why: embedding and output matrix are cut along it; rows padded on the side make the loss diverge from that of one GPU, or the
checkpoint too large to load (NVIDIA/Megatron-LM#1754, hpcaitech/ColossalAI#6167).
Example:
  mesh wide { dp_shard = 2, tp = 8 }
  model small { architecture { vocab = 50257 } }
Instead:
  model small { architecture { vocab = 50264 } }
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..spec import StageSpec
from . import Finding
from .choices import one_of
from .tensor_parallel import legal_degrees, uneven


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the vocabulary among the ranks of a group; most vocabularies are padded rather than `tp` given up."""
    vocab, tp = stage.model.architecture.vocab, stage.mesh.tp
    help = f"pad it: `vocab = {-(-vocab // tp) * tp}`; or set {one_of('tp', legal_degrees(stage))}"
    for finding in uneven(stage, "vocab"):
        yield replace(finding, help=help)
