"""TRN209: the hidden width is no multiple of the heads, and `head_dim` is left out.

Why: the width of a head would be rounded down, and query and output matrices would no longer fit the residual stream; 12 heads in a
width of 1024 failed in a reshape (huggingface/transformers#23081), and Megatron-LM refuses such a model when it builds it.
Example:
  model small { architecture { hidden = 2000, heads = 32 } }
Instead:
  model small { architecture { hidden = 2048, heads = 32 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the hidden width by the heads where the width of a head is to be derived; latent attention has it as a field."""
    architecture = stage.model.architecture
    hidden, heads = architecture.hidden, architecture.heads
    if architecture.head_dim is not None or hidden % heads == 0 or family(architecture.family).latent:
        return
    # Rotary positions turn pairs of entries, so a head's width must be even.
    pair = 2 * heads
    yield Finding(
        at="model.architecture.hidden",
        message=f"`hidden` {hidden} is no multiple of `heads` {heads}",
        help=f"set `hidden = {max(round(hidden / pair), 1) * pair}`, or give `head_dim`",
        also={"model.architecture.heads": f"`heads` is {heads}"},
    )
