"""TRN228: groups of experts that do not divide them, or hold too few for a token.

Why: a group is judged by its two best experts, and a token visits those of `topk_group` groups only (DeepSeek-AI 2024,
arXiv:2412.19437, section 2.1.2). transformers takes any numbers: some end the first forward pass in an error, others mix the scores
of tokens or send them to experts that were ruled out (huggingface/transformers#48647).
Example:
  model small {
    architecture {
      family            = deepseek_v3
      layers            = 4
      kv_heads          = none
      experts           = 8
      experts_per_token = 4
      shared_experts    = 1
      kv_lora_rank      = 256
      qk_nope_head_dim  = 64
      qk_rope_head_dim  = 32
      v_head_dim        = 64
      n_group           = 4
      topk_group        = 1
    }
  }
Instead:
  model small {
    architecture {
      family            = deepseek_v3
      layers            = 4
      kv_heads          = none
      experts           = 8
      experts_per_token = 4
      shared_experts    = 1
      kv_lora_rank      = 256
      qk_nope_head_dim  = 64
      qk_rope_head_dim  = 32
      v_head_dim        = 64
      n_group           = 4
      topk_group        = 2
    }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import ArchitectureSpec, StageSpec
from . import Finding
from .choices import divisors


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Divides the experts; TRN613 speaks of too few of them, TRN611 of families without groups."""
    architecture = stage.model.architecture
    reads = family(architecture.family).reads
    if "n_group" in reads and architecture.experts_per_token <= architecture.experts:
        yield from _of_groups(architecture)


def _of_groups(architecture: ArchitectureSpec) -> Iterator[Finding]:
    experts, groups, visited = architecture.experts, architecture.n_group, architecture.topk_group
    of_each = experts // groups
    if experts % groups or of_each < 2:
        fitting = [count for count in divisors(experts) if experts // count >= 2]
        yield Finding(
            at="model.architecture.n_group",
            message=f"`n_group` {groups} does not make groups of two or more of {experts} `experts`",
            help=f"set `n_group` to {', '.join(map(str, fitting))}" if fitting else "give more `experts`",
            also={"model.architecture.experts": f"`experts` is {experts}"},
        )
    elif visited > groups:
        yield Finding(
            at="model.architecture.topk_group",
            message=f"`topk_group` {visited} of `n_group` {groups} groups cannot be visited",
            help=f"set `topk_group = {groups}` or less",
            also={"model.architecture.n_group": f"`n_group` is {groups}"},
        )
    elif architecture.experts_per_token > visited * of_each:
        yield Finding(
            at="model.architecture.topk_group",
            message=f"`topk_group` {visited} leaves a token {visited * of_each} experts, not {architecture.experts_per_token}",
            help=f"set `topk_group = {-(-architecture.experts_per_token // of_each)}` or more",
            also={"model.architecture.experts_per_token": f"`experts_per_token` is {architecture.experts_per_token}"},
        )
