"""Attention of some queries to a block of keys, with the log-sum-exp that joins it with other blocks; and its backward pass.

Fused kernels do it where there is one that says its log-sum-exp: on the CPU always, on a GPU in half precision and without
documents. Elsewhere it is done in float32, tile by tile. Shapes: queries (batch, heads, queries, width), keys and values
(batch, kv_heads, keys, width), log-sum-exp (batch, heads, queries).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

# Scores of a tile are kept for all heads at once.
TILE = 512

_cpu = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
_cpu_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
_flash = torch.ops.aten._scaled_dot_product_flash_attention
_flash_backward = torch.ops.aten._scaled_dot_product_flash_attention_backward


@dataclass(frozen=True, slots=True)
class Sight:
    """What queries see of keys: with `diagonal` each those up to its own place, else all; and none before its document's start.

    `queries` and `keys` are ascending places in the sequence, `starts` (batch, queries) those of the queries' documents.
    """

    diagonal: bool
    starts: torch.Tensor | None
    queries: torch.Tensor
    keys: torch.Tensor

    def mask(self, rows: slice = slice(None), columns: slice = slice(None)) -> torch.Tensor | None:
        """What is seen, (batch or 1, 1, rows, columns); None where all is."""
        keys, seen = self.keys[columns], None
        if self.diagonal:
            seen = (keys <= self.queries[rows, None])[None, None]
        if self.starts is not None:
            later = (keys >= self.starts[:, rows, None])[:, None]
            seen = later if seen is None else seen & later
        return seen


@dataclass(frozen=True, slots=True)
class Made:
    """What the whole forward pass made of some queries, and the gradient of its output."""

    out: torch.Tensor
    lse: torch.Tensor
    gradient: torch.Tensor


def forward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, sight: Sight, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output and log-sum-exp; -inf for queries that see nothing."""
    if query.device.type == "cpu":
        return _forward_on_cpu(query, key, value, sight, scale)
    if _has_flash(query, sight):
        return flash_forward(query, key, value, sight, scale)
    return tiled_forward(query, key, value, sight, scale)


def backward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, made: Made, sight: Sight, scale: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """This block's part of the gradients of queries, keys and values."""
    if query.device.type == "cpu":
        bias = _bias(sight, query.dtype)
        causal = sight.diagonal and bias is None
        inputs = (made.gradient, query, key, value, made.out, made.lse)
        found = _cpu_backward(*(entry.contiguous() for entry in inputs), 0.0, causal, attn_mask=bias, scale=scale)
    elif _has_flash(query, sight):
        found = flash_backward(query, key, value, made, sight, scale)
    else:
        found = tiled_backward(query, key, value, made, sight, scale)
    of_query, of_key, of_value = found
    return of_query, of_key, of_value


def merge(out: torch.Tensor, lse: torch.Tensor, part: torch.Tensor, part_lse: torch.Tensor) -> None:
    """Adds what another block found, in place; both know the sum of the scores that they saw."""
    total = torch.logaddexp(lse, part_lse)
    # What has seen nothing yet weighs nothing.
    base = total.masked_fill(total == -torch.inf, 0.0)
    out.mul_((lse - base).exp()[..., None]).add_(part * (part_lse - base).exp()[..., None])
    lse.copy_(total)


def flash_forward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, sight: Sight, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same by a GPU's flash attention, without documents."""
    out, lse, *_ = _flash(query, key, value, 0.0, sight.diagonal, False, scale=scale)
    return out, lse


def flash_backward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, made: Made, sight: Sight, scale: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The same by a GPU's flash attention, without documents."""
    # Without dropout the kernel reads no random state; without packed rows it reads no lengths.
    unused = torch.empty(2, dtype=torch.int64, device=query.device)
    inputs = (entry.contiguous() for entry in (made.gradient, query, key, value, made.out, made.lse))
    lengths = (None, None, query.shape[2], key.shape[2])
    of_query, of_key, of_value = _flash_backward(*inputs, *lengths, 0.0, sight.diagonal, unused, unused, scale=scale)
    return of_query, of_key, of_value


def tiled_forward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, sight: Sight, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same in float32 on any device."""
    grouped, out = _grouped(query, key), torch.zeros_like(_grouped(query, key))
    lse = torch.full(grouped.shape[:-1], -torch.inf, device=query.device)
    for rows, columns in _tiles(sight):
        scores = _scores(grouped[..., rows, :], key[:, :, columns], sight.mask(rows, columns), scale)
        part_lse = scores.logsumexp(-1)
        weights = (scores - part_lse.masked_fill(part_lse == -torch.inf, 0.0)[..., None]).exp()
        merge(out[..., rows, :], lse[..., rows], weights @ value[:, :, None, columns].float(), part_lse)
    return out.flatten(1, 2), lse.flatten(1, 2)


def tiled_backward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, made: Made, sight: Sight, scale: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The same in float32 on any device (Dao et al. 2022, arXiv:2205.14135, appendix B)."""
    grouped, gradient = _grouped(query, key), _grouped(made.gradient, key)
    lse = made.lse.unflatten(1, (key.shape[1], -1))
    shared = (made.gradient.float() * made.out.float()).sum(-1).unflatten(1, (key.shape[1], -1))
    of_query = torch.zeros_like(grouped)
    of_key, of_value = (torch.zeros_like(entry, dtype=torch.float32) for entry in (key, value))
    for rows, columns in _tiles(sight):
        scores = _scores(grouped[..., rows, :], key[:, :, columns], sight.mask(rows, columns), scale)
        weights = (scores - lse[..., rows, None]).exp()
        # Queries of a group share keys and values, whose gradients are summed over it.
        of_value[:, :, columns] += (weights.mT @ gradient[..., rows, :]).sum(2)
        of_weights = gradient[..., rows, :] @ value[:, :, None, columns].float().mT
        of_scores = weights * (of_weights - shared[..., rows, None]) * scale
        of_query[..., rows, :] += of_scores @ key[:, :, None, columns].float()
        of_key[:, :, columns] += (of_scores.mT @ grouped[..., rows, :]).sum(2)
    return of_query.flatten(1, 2), of_key, of_value


def _forward_on_cpu(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, sight: Sight, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    bias = _bias(sight, query.dtype)
    out, lse = _cpu(query, key, value, 0.0, sight.diagonal and bias is None, attn_mask=bias, scale=scale)
    if sight.starts is not None:
        # The kernel says 0 where a query sees nothing; keys are ascending, so that the last one tells.
        lse = lse.masked_fill((sight.starts > sight.keys[-1])[:, None], -torch.inf)
    return out, lse


def _bias(sight: Sight, dtype: torch.dtype) -> torch.Tensor | None:
    """The mask as the CPU's kernel takes it, where causality alone does not say it."""
    if sight.starts is None:
        return None
    mask = sight.mask()
    assert mask is not None
    return torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, -torch.inf)


def _has_flash(query: torch.Tensor, sight: Sight) -> bool:
    return query.device.type == "cuda" and query.dtype in (torch.bfloat16, torch.float16) and sight.starts is None


def _grouped(heads: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """(batch, heads, ...) to (batch, kv_heads, queries a group, ...), in float32."""
    return heads.float().unflatten(1, (key.shape[1], -1))


def _tiles(sight: Sight) -> Iterator[tuple[slice, slice]]:
    for first in range(0, len(sight.queries), TILE):
        for start in range(0, len(sight.keys), TILE):
            # On the diagonal queries and keys are the same tokens: tiles above it are empty.
            if not (sight.diagonal and start > first):
                yield slice(first, first + TILE), slice(start, start + TILE)


def _scores(grouped: torch.Tensor, key: torch.Tensor, mask: torch.Tensor | None, scale: float) -> torch.Tensor:
    scores = grouped @ key[:, :, None].float().mT * scale
    return scores if mask is None else scores.masked_fill(~mask[:, :, None], -torch.inf)
