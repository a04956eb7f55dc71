"""The parity matrix: which rows it has, and which of them touch every strategy, axis and setting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parity_rows import Row

SIZES = "layers = 2, hidden = 64, ffn = 128, heads = 4, vocab = 512, max_sequence = 64"
FAMILIES = (
    f"family = qwen2, kv_heads = 2, {SIZES}",
    f"family = qwen3, kv_heads = 2, head_dim = 24, {SIZES}",
    f"family = mistral, kv_heads = 2, sliding_window = 16, {SIZES}",
    f"family = phi3, kv_heads = 2, rotary_share = 75%, {SIZES}",
    f"family = gemma, kv_heads = 2, head_dim = 24, tied_embeddings = true, {SIZES}",
    f"family = gpt_neox, rotary_share = 25%, parallel_residual = true, {SIZES}",
)
GEMMA2 = f"family = gemma2, kv_heads = 2, sliding_window = 16, attention_softcap = 50, logit_softcap = 30, {SIZES}"

ROWS = (
    Row("ddp", {"dp_replicate": 2}, micro=2),
    Row("ddp", {"dp_replicate": 4}, recompute="full"),
    Row("ddp", {"dp_replicate": 2}, compute="bf16"),
    Row("ddp { bucket = 20 kB, static_graph = true }", {"dp_replicate": 2}),
    Row("fsdp2", {"dp_shard": 2}, micro=2),
    Row("fsdp2", {"dp_shard": 4}, recompute="selective"),
    Row("fsdp2", {"dp_shard": 2}, recompute="full", compute="bf16"),
    Row("fsdp2", {"dp_replicate": 2, "dp_shard": 2}),
    Row("fsdp2 { reshard_after_forward = false }", {"dp_shard": 2}),
    Row("fsdp2 { reshard_group = 2, prefetch = 2 }", {"dp_shard": 4}),
    Row("fsdp2 { offload = true }", {"dp_shard": 2}, micro=2),
    Row("zero1", {"dp_shard": 2}, micro=2),
    Row("zero2", {"dp_shard": 2}, compute="bf16"),
    Row("zero3", {"dp_shard": 2}, recompute="full", compute="bf16"),
    Row("zero3", {"dp_shard": 4}, micro=2),
    Row("zero3 { hpz_partition = 2 }", {"dp_shard": 4}),
    Row("fsdp2", {"tp": 2}, micro=2),
    Row("fsdp2", {"tp": 2, "sequence_parallel": True}, recompute="selective"),
    Row("fsdp2", {"dp_shard": 2, "tp": 2, "sequence_parallel": True}, recompute="full"),
    Row("fsdp2", {"dp_shard": 2, "tp": 2}, compute="bf16"),
    Row("fsdp2", {"dp_replicate": 2, "dp_shard": 2, "tp": 2}, micro=2),
    Row("fsdp2", {"tp": 2, "sequence_parallel": True}, attention="eager"),
    *(Row("fsdp2", {"tp": 2, "sequence_parallel": True}, micro=4, architecture=shape) for shape in FAMILIES),
    Row("fsdp2", {"tp": 2, "sequence_parallel": True}, micro=4, attention="eager", architecture=GEMMA2),
)


def chosen(rows: Sequence[Row] = ROWS) -> list[Row]:
    """The rows that CI runs: few, the small ones first among equals, which touch each trait of any row."""
    return list(_cover(sorted(rows, key=lambda row: row.ranks), set().union(*(row.traits for row in rows))))


def _cover(rows: Sequence[Row], missing: set[str]) -> Iterable[Row]:
    while missing:
        best = max(rows, key=lambda row: len(row.traits & missing))
        missing -= best.traits
        yield best
