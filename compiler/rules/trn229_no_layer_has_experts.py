"""TRN229: as many leading dense layers as the model has.

Why: dense layers come first and those with experts behind them (DeepSeek-AI 2024, arXiv:2412.19437, section 4.2: the first three of
61). transformers builds a model of dense layers alone too, in which `experts` and `ep` mean nothing.
Example:
  model small {
    architecture {
      family            = deepseek_v3
      layers            = 4
      kv_heads          = none
      experts           = 8
      experts_per_token = 2
      shared_experts    = 1
      kv_lora_rank      = 256
      qk_nope_head_dim  = 64
      qk_rope_head_dim  = 32
      v_head_dim        = 64
      first_k_dense_replace = 4
    }
  }
Instead:
  model small {
    architecture {
      family            = deepseek_v3
      layers            = 4
      kv_heads          = none
      experts           = 8
      experts_per_token = 2
      shared_experts    = 1
      kv_lora_rank      = 256
      qk_nope_head_dim  = 64
      qk_rope_head_dim  = 32
      v_head_dim        = 64
      first_k_dense_replace = 1
    }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a layer with experts; TRN611 speaks of families whose layers are alike."""
    architecture = stage.model.architecture
    dense, layers = architecture.first_k_dense_replace, architecture.layers
    if dense >= layers and "first_k_dense_replace" in family(architecture.family).reads:
        yield Finding(
            at="model.architecture.first_k_dense_replace",
            message=f"`first_k_dense_replace` {dense} leaves none of {layers} layers to the experts",
            help=f"set it to {max(0, layers - 1)} or less; a dense model is another family",
            also={"model.architecture.layers": f"`layers` is {layers}"},
        )
