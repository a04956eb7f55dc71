"""TRN324: Muon for a model with experts.

Why: a layer's experts are one tensor of three dims, and torch's Muon orthogonalises matrices: it refuses any other parameter when
the optimizer is built (pytorch/pytorch#180561), and what flattens them treats all experts as one matrix.
Example:
  model small { architecture { family = mixtral, experts = 8, experts_per_token = 2 } }
  optimizer = muon { lr = 1e-3 }
Instead:
  optimizer = adamw { lr = 1e-3 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import Muon, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a dense model."""
    shape = stage.model.architecture
    if isinstance(stage.optimizer, Muon) and family(shape.family).expert_parameters(shape):
        yield Finding(
            at="optimizer",
            message=f"muon steps matrices, and a `{shape.family}` holds {shape.experts} experts in one tensor",
            help="take `adamw`, or `lion`",
            also={"model.architecture.family": f"`family` is {shape.family}"},
        )
