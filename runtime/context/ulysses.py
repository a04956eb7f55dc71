"""Attention by Ulysses: ranks exchange parts of the sequence for heads, attend, and exchange back.

Jacobs et al. 2023, arXiv:2309.14509. Between the exchanges each rank sees whole sequences and an equal share of the heads, so that
torch's fused attention does the rest.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _resolve_process_group
from torch.nn.functional import scaled_dot_product_attention


def attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    documents: torch.Tensor | None,
    group: dist.ProcessGroup,
    scale: float,
) -> torch.Tensor:
    """Causal attention: (batch, heads, own part, width) to (batch, own part, heads, width).

    `documents` (batch, sequence) holds for each token the place at which its document starts; None where samples are one each.
    """
    ranks = group.size()
    if key.shape[1] < ranks:
        # Every rank needs a head: those that share queries are repeated for the ranks which have these.
        key, value = (heads.repeat_interleave(ranks // heads.shape[1], dim=1) for heads in (key, value))
    query, key, value = (_whole_sequences(heads, group) for heads in (query, key, value))
    mask = None if documents is None else _mask(documents)
    found = scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, scale=scale, enable_gqa=query.shape[1] != key.shape[1]
    )
    return _own_part(found, group)


def _whole_sequences(heads: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
    """(batch, heads, own part, width) to (batch, own heads, sequence, width)."""
    parted = heads.unflatten(1, (group.size(), -1)).movedim(1, 0)
    return _exchange(parted, group).movedim(0, 2).flatten(2, 3)


def _own_part(heads: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
    """(batch, own heads, sequence, width) to (batch, own part, heads, width)."""
    parted = heads.unflatten(2, (group.size(), -1)).permute(2, 0, 3, 1, 4)
    return _exchange(parted, group).permute(1, 2, 0, 3, 4).flatten(2, 3)


def _exchange(parted: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
    """(ranks, ...): entry i goes to rank i, whose own comes back in its place."""
    return _swap(parted.contiguous(), group.group_name)


@torch.library.custom_op("trainc::swap", mutates_args=())
def _swap(parted: torch.Tensor, group_name: str) -> torch.Tensor:
    received = torch.empty_like(parted)
    dist.all_to_all_single(received, parted, group=_resolve_process_group(group_name))
    return received


@_swap.register_fake
def _(parted: torch.Tensor, _group_name: str) -> torch.Tensor:
    return torch.empty_like(parted)


def _keep(ctx: Any, inputs: tuple[torch.Tensor, str], output: torch.Tensor) -> None:
    _, ctx.group_name = inputs


def _backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
    # What came from a rank goes back to it.
    return _swap(gradient.contiguous(), ctx.group_name), None


_swap.register_autograd(_backward, setup_context=_keep)


def _mask(documents: torch.Tensor) -> torch.Tensor:
    """Who sees whom, (batch, 1, sequence, sequence): nobody sees beyond its place, or before the start of its document."""
    places = torch.arange(documents.shape[1], device=documents.device)
    return ((places <= places[:, None]) & (places >= documents[..., None]))[:, None]
