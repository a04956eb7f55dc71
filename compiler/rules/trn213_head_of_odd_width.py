"""TRN213: the width of a head is odd.

Why: rotary positions turn the entries of a head in pairs (Su et al. 2021, arXiv:2104.09864); transformers builds such a model, and
its first forward pass says that "the size of tensor a must match the size of tensor b".
Example:
  model small { architecture { hidden = 2016, heads = 32, kv_heads = 8 } }
Instead:
  model small { architecture { hidden = 2048, heads = 32, kv_heads = 8 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for pairs; TRN209 speaks where the width to be derived is not whole."""
    architecture = stage.model.architecture
    if "rope_theta" not in family(architecture.family).reads:
        return
    hidden, heads, latent = architecture.hidden, architecture.heads, family(architecture.family).latent
    field = "qk_rope_head_dim" if latent else "head_dim"
    width = getattr(architecture, field)
    if width is not None and width % 2:
        yield Finding(f"model.architecture.{field}", f"`{field}` {width} is odd", f"set `{field} = {width + 1}`")
    elif width is None and not latent and hidden % heads == 0 and hidden // heads % 2:
        yield Finding(
            at="model.architecture.hidden",
            message=f"`hidden` {hidden} / `heads` {heads} makes heads of odd width {hidden // heads}",
            help=f"set `hidden = {hidden + heads}`, or give an even `head_dim`",
            also={"model.architecture.heads": f"`heads` is {heads}"},
        )
