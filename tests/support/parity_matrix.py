"""The parity matrix: which rows it has, and which of them touch every strategy, axis and setting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice

from parity_rows import Row

WHOLE_LAYERS = "fsdp2 { reshard_after_forward = false }"
SIZES = "layers = 2, hidden = 64, ffn = 128, heads = 4, vocab = 512, max_sequence = 64"
FAMILIES = (
    f"family = qwen2, kv_heads = 2, {SIZES}",
    f"family = qwen3, kv_heads = 2, head_dim = 24, {SIZES}",
    f"family = mistral, kv_heads = 2, sliding_window = 16, {SIZES}",
    f"family = phi3, kv_heads = 2, rotary_share = 75%, {SIZES}",
    f"family = gemma, kv_heads = 2, head_dim = 24, tied_embeddings = true, {SIZES}",
    f"family = gpt_neox, rotary_share = 25%, parallel_residual = true, {SIZES}",
)
GPT2 = f"family = gpt2, tied_embeddings = true, {SIZES}"
GEMMA2 = f"family = gemma2, kv_heads = 2, sliding_window = 16, attention_softcap = 50, logit_softcap = 30, {SIZES}"
EXPERTS = "experts = 8, experts_per_token = 2"
# Without the loss that balances experts, which pp and cp do not have.
MIXTRAL = f"family = mixtral, kv_heads = 2, {EXPERTS}, router_aux_loss = 0, {SIZES.replace('layers = 2', 'layers = 4')}"
QWEN3_MOE = f"family = qwen3_moe, kv_heads = 2, expert_ffn = 48, {EXPERTS}, router_aux_loss = 0.01, {SIZES}"
LATENT = "q_lora_rank = 24, kv_lora_rank = 16, qk_nope_head_dim = 16, qk_rope_head_dim = 8, v_head_dim = 20"
ROUTES = "expert_ffn = 48, shared_experts = 1, first_k_dense_replace = 1, n_group = 4, topk_group = 2, routed_scaling_factor = 2.5"
DEEPSEEK_V3 = f"family = deepseek_v3, {EXPERTS}, {ROUTES}, {LATENT}, {SIZES.replace('layers = 2', 'layers = 4')}"

ROWS = (
    Row("ddp", {"dp_replicate": 2}, micro=2),
    Row("ddp", {"dp_replicate": 4}, recompute="full"),
    Row("ddp", {"dp_replicate": 2}, compute="bf16"),
    Row("ddp { bucket = 20 kB, static_graph = true }", {"dp_replicate": 2}),
    Row("fsdp2", {"dp_shard": 2}, micro=2),
    Row("fsdp2", {"dp_shard": 4}, recompute="selective"),
    Row("fsdp2", {"dp_shard": 2}, recompute="full", compute="bf16"),
    Row("fsdp2", {"dp_replicate": 2, "dp_shard": 2}),
    Row(WHOLE_LAYERS, {"dp_shard": 2}),
    Row("fsdp2 { reshard_group = 2, prefetch = 2 }", {"dp_shard": 4}),
    Row("fsdp2 { offload = true }", {"dp_shard": 2}, micro=2),
    Row("zero1", {"dp_shard": 2}, micro=2),
    Row("zero2", {"dp_shard": 2}, compute="bf16"),
    Row("zero3", {"dp_shard": 2}, recompute="full", compute="bf16"),
    Row("zero3", {"dp_shard": 4}, micro=2),
    Row("zero3 { hpz_partition = 2 }", {"dp_shard": 4}),
    Row("zero3", {"dp_shard": 2}, micro=2, architecture=QWEN3_MOE),
    Row("fsdp2", {"tp": 2}, micro=2),
    Row("fsdp2", {"tp": 2, "sequence_parallel": True}, recompute="selective"),
    Row("fsdp2", {"dp_shard": 2, "tp": 2, "sequence_parallel": True}, recompute="full"),
    Row("fsdp2", {"dp_shard": 2, "tp": 2}, compute="bf16"),
    Row("fsdp2", {"dp_replicate": 2, "dp_shard": 2, "tp": 2}, micro=2),
    Row("fsdp2", {"tp": 2, "sequence_parallel": True}, attention="eager"),
    *(Row("fsdp2", {"tp": 2, "sequence_parallel": True}, micro=4, architecture=shape) for shape in FAMILIES),
    Row("fsdp2", {"dp_shard": 2}, micro=2, packing=True),
    Row("fsdp2", {"tp": 2, "sequence_parallel": True}, micro=2, attention="eager", packing=True),
    Row("fsdp2", {"cp": 2}, micro=2, packing=True),
    Row("fsdp2", {"cp": 2, "cp_method": "ring"}, micro=2, packing=True),
    Row("fsdp2", {"dp_shard": 2, "cp": 2}, recompute="selective"),
    Row("fsdp2", {"dp_replicate": 2, "cp": 2, "cp_method": "ring"}, recompute="full"),
    Row("fsdp2", {"cp": 4}, micro=4),
    Row("fsdp2", {"cp": 4, "cp_method": "ring"}, micro=4, packing=True),
    Row("fsdp2", {"cp": 2, "tp": 2, "sequence_parallel": True}, recompute="selective", packing=True),
    Row("fsdp2", {"cp": 2, "tp": 2, "cp_method": "ring"}, recompute="selective", packing=True),
    Row("fsdp2", {"cp": 2, "cp_method": "ring", "ep": 2}, compute="bf16", architecture=MIXTRAL),
    *(Row("fsdp2", {"cp": 2, "cp_method": "ring"}, micro=4, architecture=shape) for shape in (FAMILIES[1], FAMILIES[5], GPT2)),
    Row("fsdp2", {"tp": 2, "sequence_parallel": True}, micro=4, attention="eager", architecture=GEMMA2),
    Row("fsdp2", {"dp_shard": 2, "ep": 2}, micro=2, architecture=MIXTRAL),
    Row("fsdp2", {"dp_shard": 4, "ep": 2}, recompute="full", architecture=QWEN3_MOE),
    Row("fsdp2", {"dp_replicate": 2, "dp_shard": 2, "ep": 2}, architecture=QWEN3_MOE),
    Row("fsdp2", {"dp_shard": 2, "ep": 2}, compute="bf16", architecture=QWEN3_MOE),
    Row("fsdp2", {"pp": 2}, recompute="full", compute="bf16"),
    Row("fsdp2 { offload = true }", {"pp": 2, "schedule": "gpipe", "split": [3, 1], "dp_shard": 2}, micro=2),
    Row("fsdp2", {"pp": 2, "schedule": "interleaved", "virtual_stages": 2}, recompute="selective"),
    Row(WHOLE_LAYERS, {"pp": 2, "schedule": "zero_bubble", "virtual_stages": 2, "dp_replicate": 2}, recompute="full"),
    Row(WHOLE_LAYERS, {"pp": 2, "schedule": "zero_bubble"}, architecture=GPT2),
    Row(WHOLE_LAYERS, {"pp": 2, "schedule": "zero_bubble", "virtual_stages": 2, "dp_shard": 2, "ep": 2}, architecture=MIXTRAL),
    Row(WHOLE_LAYERS, {"pp": 2, "schedule": "zbv", "virtual_stages": 2, "tp": 2}),
    Row(WHOLE_LAYERS, {"pp": 2, "schedule": "dualpipe_v", "virtual_stages": 2, "dp_shard": 2}),
    Row("ddp", {"dp_replicate": 2}, micro=2, architecture=DEEPSEEK_V3),
    Row("fsdp2", {"dp_shard": 2, "ep": 2}, micro=2, recompute="selective", architecture=DEEPSEEK_V3),
    Row("fsdp2", {"dp_replicate": 2, "dp_shard": 2, "ep": 2}, architecture=DEEPSEEK_V3),
    Row("fsdp2", {"dp_shard": 4, "ep": 2}, recompute="full", architecture=DEEPSEEK_V3),
    Row("fsdp2", {"pp": 2, "dp_shard": 2, "ep": 2}, micro=2, recompute="full", architecture=DEEPSEEK_V3),
    Row("fsdp2", {"pp": 2, "schedule": "interleaved", "virtual_stages": 2}, recompute="selective", architecture=DEEPSEEK_V3),
    Row(WHOLE_LAYERS, {"pp": 2, "schedule": "zbv", "virtual_stages": 2}, architecture=DEEPSEEK_V3),
    Row("fsdp2", {"cp": 2, "ep": 2}, micro=2, packing=True, architecture=DEEPSEEK_V3),
    Row("fsdp2", {"cp": 2, "cp_method": "ring"}, micro=2, packing=True, architecture=DEEPSEEK_V3),
    Row("zero3", {"dp_shard": 2}, micro=2, architecture=DEEPSEEK_V3),
    Row("fsdp2", {"pp": 4, "tp": 2, "sequence_parallel": True}),
    Row("fsdp2", {"pp": 2, "dp_shard": 2, "tp": 2, "sequence_parallel": True}, micro=2),
)


def chosen(rows: Sequence[Row] = ROWS) -> list[Row]:
    """The rows that CI runs: those which touch each trait of any row, the small ones first among equals, and more up to a third."""
    small = sorted(rows, key=lambda row: row.ranks)
    touching = list(_cover(small, set().union(*(row.traits for row in rows))))
    others = (row for row in small if row not in touching)
    return touching + list(islice(others, max(0, math.ceil(len(rows) / 3) - len(touching))))


def _cover(rows: Sequence[Row], missing: set[str]) -> Iterable[Row]:
    while missing:
        best = max(rows, key=lambda row: len(row.traits & missing))
        missing -= best.traits
        yield best
