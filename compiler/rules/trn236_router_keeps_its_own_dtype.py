"""TRN236: fsdp2 with parameters in another dtype than the router's, which stays in fp32.

Why: transformers keeps the router of this family in fp32 whatever the model's dtype, and FSDP2 asks that the parameters of a unit
have one (pytorch/pytorch#156784): the first forward pass ends with "FSDP expects uniform original parameter dtype".
Example:
  precision mixed { compute = bf16, params = bf16 }
  model small {
    architecture {
      family            = deepseek_v3
      experts           = 8
      experts_per_token = 2
      shared_experts    = 1
      layers            = 4
      kv_heads          = none
      kv_lora_rank      = 256
      qk_nope_head_dim  = 64
      qk_rope_head_dim  = 32
      v_head_dim        = 64
    }
  }
Instead:
  precision mixed { compute = bf16, params = fp32 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for parameters in fp32, of which the others' working copies are cast."""
    params, name = stage.precision.params, stage.model.architecture.family
    if stage.strategy.variant == "fsdp2" and params != "fp32" and family(name).float32_router:
        yield Finding(
            at="precision.params",
            message=f"the router of a `{name}` stays in fp32, and `fsdp2` cannot keep it beside parameters in {params}",
            help="set `params = fp32`, from which `compute` casts working copies",
            also={"model.architecture.family": f"`family` is {name}"},
        )
