"""TRN226: a pipeline of a model whose experts are balanced by a loss.

Why: every layer with experts adds to that loss, and in a pipeline only the last group of layers computes one: the other layers'
share would be missing. Frameworks got it wrong under pipelines (pytorch/torchtitan#2061), or lost it without a word
(NVIDIA-NeMo/Automodel#1408).
Example:
  mesh wide { dp_shard = 4, pp = 4 }
  model small { architecture { family = qwen3_moe, experts = 8, experts_per_token = 2 } }
  batch { global = 64, micro = 2 }
Instead:
  model small { architecture { family = qwen3_moe, experts = 8, experts_per_token = 2, router_aux_loss = 0 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for experts without the loss, or layers in one group."""
    mesh, architecture = stage.mesh, stage.model.architecture
    if (
        mesh.pp > 1
        and architecture.experts
        and architecture.router_aux_loss
        and "router_aux_loss" in family(architecture.family).reads
    ):
        yield Finding(
            at="mesh.pp",
            message=f"a pipeline cannot compute the loss that balances the {architecture.experts} experts of `{stage.model.name}`",
            help="set `pp = 1`, or the architecture's `router_aux_loss` to 0",
            also={"model.architecture.router_aux_loss": f"`router_aux_loss` is {architecture.router_aux_loss:g}"},
        )
