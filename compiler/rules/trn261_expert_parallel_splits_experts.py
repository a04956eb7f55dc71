"""TRN261: `ep` does not divide the experts of the model, or the model has none.

Why: each rank of a group holds as many whole experts, and for a model without experts the axis would be ignored. torchtitan lacked
the check for long: the model was built and failed later (pytorch/torchtitan#4258).
Example:
  mesh wide { dp_shard = 16, ep = 16 }
  model small { architecture { family = mixtral, experts = 8, experts_per_token = 2, layers = 4 } }
Instead:
  mesh wide { dp_shard = 16, ep = 8 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding
from .choices import divisors, one_of


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the experts among the ranks of a group."""
    architecture, ep = stage.model.architecture, stage.mesh.ep
    if ep == 1:
        return
    if "experts" not in family(architecture.family).reads:
        yield Finding(
            at="mesh.ep",
            message=f"`ep` {ep} shares experts, and a `{architecture.family}` has none",
            help="leave `ep` out",
            also={"model.architecture.family": f"`family` is {architecture.family}"},
        )
    elif architecture.experts % ep:
        fitting = [degree for degree in divisors(architecture.experts)[1:] if (stage.mesh.dp_shard * stage.mesh.cp) % degree == 0]
        yield Finding(
            at="mesh.ep",
            message=f"`ep` {ep} does not divide the {architecture.experts} `experts` of `{stage.model.name}`",
            help=f"set {one_of('ep', fitting)}" if fitting else "leave `ep` out",
            also={"model.architecture.experts": f"`experts` is {architecture.experts}"},
        )
