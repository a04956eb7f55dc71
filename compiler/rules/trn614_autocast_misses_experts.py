"""TRN614: `ddp` computes in another dtype than that of the parameters, and the model has experts.

Why: ddp casts by torch's autocast, which does not know grouped matrix multiplications (pytorch/pytorch#174763): experts, nearly all
of the model, would compute in the dtype of the parameters, and `compute` would be ignored.
Example:
  mesh wide { dp_replicate = 16, dp_shard = 1 }
  model small {
    architecture { family = mixtral, experts = 8, experts_per_token = 2, layers = 4 }
  }
  strategy = ddp
Instead:
  mesh wide { dp_replicate = 1, dp_shard = 16 }
  strategy = fsdp2
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the two dtypes where a stage with experts is replicated."""
    precision, name = stage.precision, stage.model.architecture.family
    if stage.strategy.variant == "ddp" and precision.compute != precision.params and "experts" in family(name).reads:
        yield Finding(
            at="strategy",
            message=f"`ddp` cannot compute the experts of a `{name}` in {precision.compute}: autocast does not reach them",
            help=f"spread it by fsdp2, or compute in {precision.params}",
            also={"precision.compute": f"`compute` is {precision.compute}", "precision.params": f"`params` is {precision.params}"},
        )
