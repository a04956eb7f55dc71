"""DeepSeek-V3's decoder (DeepSeek-AI 2024, arXiv:2412.19437): latent attention, leading dense layers, shared and routed experts.

Each expert has a score of its own, a sigmoid; a bias, which no gradient changes, decides with it who is picked, among the best
groups of experts only. transformers computes no loss that balances them; the runtime moves the biases.
"""

from __future__ import annotations

from typing import Any

from ..spec import ArchitectureSpec
from .parts import gated
from .parts.decoder import Decoder
from .parts.experts import Experts
from .parts.latent import LatentAttention
from .parts.settings import activation_name, rope_parameters, sizes

# Fields without a default: the family has no usual sizes of them.
NEEDS = ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "shared_experts")
READS = (gated.READS - {"kv_heads"}) | {
    *NEEDS,
    "q_lora_rank",
    "attention_bias",
    "experts",
    "experts_per_token",
    "expert_ffn",
    "first_k_dense_replace",
    "n_group",
    "topk_group",
    "routed_scaling_factor",
    "router_bias_update_rate",
}
MATRICES: dict[str, str] = {}
FUSED_ATTENTION = True
# transformers' plan cuts the experts' joined matrices, which the runtime does not yet; and leaves attention whole.
TENSOR_PARALLEL = False


def decoder(architecture: ArchitectureSpec) -> Decoder:
    """`ffn` is the width of the leading layers' blocks; shared experts are one block of all their widths."""
    width = architecture.expert_ffn or architecture.ffn
    experts = Experts(
        hidden=architecture.hidden,
        ffn=width,
        count=architecture.experts,
        per_token=architecture.experts_per_token,
        shared=gated.feed_forward(architecture.replace(ffn=architecture.shared_experts * width)),
        sigmoid=True,
    )
    return gated.decoder(
        architecture,
        attention=attention(architecture),
        feed_forward=experts,
        leading=architecture.first_k_dense_replace,
        dense=gated.feed_forward(architecture),
    )


def attention(architecture: ArchitectureSpec) -> LatentAttention:
    """TRN227 asks for the widths; a model without them is not planned."""
    return LatentAttention(
        hidden=architecture.hidden,
        heads=architecture.heads,
        query_rank=architecture.q_lora_rank,
        kv_rank=architecture.kv_lora_rank or 0,
        plain=architecture.qk_nope_head_dim or 0,
        rotary=architecture.qk_rope_head_dim or 0,
        value=architecture.v_head_dim or 0,
        bias=architecture.attention_bias,
    )


def config(architecture: ArchitectureSpec) -> dict[str, Any]:
    """Keyword arguments of transformers' DeepseekV3Config.

    Layers that predict more than the next token belong to no model that trainc trains: none is exported.
    """
    return {
        **sizes(architecture),
        "num_key_value_heads": architecture.heads,
        "rope_parameters": rope_parameters(architecture),
        "rope_interleave": True,
        "rms_norm_eps": architecture.norm_epsilon,
        "hidden_act": activation_name(architecture, "silu"),
        "attention_bias": architecture.attention_bias,
        "attention_dropout": 0.0,
        "q_lora_rank": architecture.q_lora_rank,
        "kv_lora_rank": architecture.kv_lora_rank,
        "qk_nope_head_dim": architecture.qk_nope_head_dim,
        "qk_rope_head_dim": architecture.qk_rope_head_dim,
        "v_head_dim": architecture.v_head_dim,
        "first_k_dense_replace": architecture.first_k_dense_replace,
        "moe_intermediate_size": architecture.expert_ffn or architecture.ffn,
        "n_routed_experts": architecture.experts,
        "n_shared_experts": architecture.shared_experts,
        "num_experts_per_tok": architecture.experts_per_token,
        "n_group": architecture.n_group,
        "topk_group": architecture.topk_group,
        "norm_topk_prob": True,
        "routed_scaling_factor": architecture.routed_scaling_factor,
        "num_mtp_layers": 0,
    }
