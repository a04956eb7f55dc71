"""TRN227: a family of latent attention and shared experts, without their sizes.

Why: no width follows from another there, and what a configuration leaves out its class chooses: those of a model of 671 billion
parameters here. Omitted `kv_lora_rank` and `vocab_size` of a DeepSeek model became wrong ones in vllm-project/vllm#51302.
Example:
  model small { architecture { family = deepseek_v3, experts = 8, experts_per_token = 2, kv_heads = none } }
Instead:
  model small {
    architecture {
      family            = deepseek_v3
      experts           = 8
      experts_per_token = 2
      kv_heads          = none
      shared_experts    = 1
      kv_lora_rank      = 256
      qk_nope_head_dim  = 64
      qk_rope_head_dim  = 32
      v_head_dim        = 64
    }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for each size that the family needs and has no default."""
    architecture = stage.model.architecture
    missing = [field for field in family(architecture.family).needs if not getattr(architecture, field)]
    if missing:
        yield Finding(
            at="model.architecture.family",
            message=f"a `{architecture.family}` needs {', '.join(f'`{field}`' for field in missing)}",
            help="give what the model's config.json says, or choose sizes of your own",
        )
