"""TRN613: a family with experts has none, or fewer than a token visits.

Why: a router takes the largest `experts_per_token` of its `experts` logits (Jiang et al. 2024, arXiv:2401.04088, section 2.1);
torch builds the model with fewer, and ends its first forward pass with "selected index k out of range".
Example:
  model small {
    architecture { family = mixtral, experts = 4, experts_per_token = 8 }
  }
Instead:
  model small {
    architecture { family = mixtral, experts = 8, experts_per_token = 2 }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Counts the experts of families that route to some; TRN611 speaks of the others."""
    architecture = stage.model.architecture
    experts, visited = architecture.experts, architecture.experts_per_token
    if "experts" not in family(architecture.family).reads or visited <= experts:
        return
    yield Finding(
        at=f"model.architecture.{'experts' if experts else 'family'}",
        message=f"a `{architecture.family}` of {experts} `experts` cannot send a token to {visited}",
        help=f"set `experts = {visited if experts else max(8, visited)}` or more",
        also={"model.architecture.experts_per_token": f"`experts_per_token` is {visited}"},
    )
