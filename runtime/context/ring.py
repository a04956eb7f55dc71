"""Ring attention: keys and values go round the ranks, each of which attends with its queries (Liu et al. 2023, arXiv:2310.01889).

What a rank finds block by block is put together by the log-sum-exp of its scores (Dao et al. 2022, arXiv:2205.14135). Rank i holds
the chunks i and 2n-1-i of a sequence in 2n chunks, so that of a block from an earlier rank its first chunk is seen by all queries,
of one from a later rank both chunks by the queries of the second: whole rectangles of the same size, and no causal mask.

Both passes are operations of torch's dispatcher: selective recomputation can keep what the forward pass found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _resolve_process_group
from torch.nn.functional import pad

from . import blocks
from .blocks import Sight
from .circle import Circle
from .parts import own_places


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
    width = value.shape[-1]
    # The kernels know one width: zeros change no score and no value. Latent attention has two.
    query, key, value = (_widened(heads, max(query.shape[-1], width)) for heads in (query, key, value))
    found, _ = _attend(query, key, value, documents, group.group_name, scale)
    return found[..., :width]


def _widened(heads: torch.Tensor, width: int) -> torch.Tensor:
    return pad(heads, (0, width - heads.shape[-1])) if heads.shape[-1] < width else heads


@torch.library.custom_op("trainc::ring_attention", mutates_args=())
def _attend(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, documents: torch.Tensor | None, group_name: str, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The output (batch, own part, heads, width) and the log-sum-exp (batch, heads, own part) in float32."""
    circle = Circle(_resolve_process_group(group_name))
    out = torch.zeros_like(query, dtype=torch.float32)
    lse = torch.full(query.shape[:3], -torch.inf, device=query.device)
    for sight, queried, seen, (keys, values) in _blocks(circle, query.shape[2], torch.stack([key, value]), documents):
        found = blocks.forward(query[:, :, queried], keys[:, :, seen], values[:, :, seen], sight, scale)
        blocks.merge(out[:, :, queried], lse[:, :, queried], *found)
    return out.transpose(1, 2).to(query.dtype, memory_format=torch.contiguous_format, copy=True), lse


@torch.library.custom_op("trainc::ring_attention_backward", mutates_args=())
def _attend_backward(
    gradient: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    documents: torch.Tensor | None,
    group_name: str,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of queries, keys and values; those of keys and values go round with them and come home last."""
    circle = Circle(_resolve_process_group(group_name))
    gradient, out = gradient.transpose(1, 2), out.transpose(1, 2)
    of_query = torch.zeros(query.shape, dtype=torch.float32, device=query.device)
    travelling = torch.zeros((2, *key.shape), dtype=torch.float32, device=key.device)
    for sight, queried, seen, (keys, values) in _blocks(circle, query.shape[2], torch.stack([key, value]), documents):
        if not sight.diagonal:
            travelling = circle.pass_on(travelling).wait()
        made = blocks.Made(out[:, :, queried], lse[:, :, queried], gradient[:, :, queried])
        found = blocks.backward(query[:, :, queried], keys[:, :, seen], values[:, :, seen], made, sight, scale)
        of_query[:, :, queried] += found[0]
        travelling[0, :, :, seen] += found[1]
        travelling[1, :, :, seen] += found[2]
    of_key, of_value = circle.pass_on(travelling).wait()
    return of_query.to(query.dtype), of_key.to(key.dtype, copy=True), of_value.to(value.dtype, copy=True)


def _blocks(
    circle: Circle, tokens: int, pair: torch.Tensor, documents: torch.Tensor | None
) -> Iterator[tuple[Sight, slice, slice, torch.Tensor]]:
    """Each rank's keys and values, own ones first: what of them is seen, by which of the own queries, and the pair itself."""
    whole, first, second = slice(0, tokens), slice(0, tokens // 2), slice(tokens // 2, tokens)
    places = [own_places("ring", tokens * circle.size, circle.size, rank).to(pair.device) for rank in range(circle.size)]
    starts = None if documents is None else documents[:, places[circle.rank]]
    for source, received in circle.round(pair):
        queried = second if source > circle.rank else whole
        seen = first if source < circle.rank else whole
        sight = Sight(
            diagonal=source == circle.rank,
            starts=None if starts is None else starts[:, queried],
            queries=places[circle.rank][queried],
            keys=places[source][seen],
        )
        yield sight, queried, seen, received


@_attend.register_fake
def _(query: torch.Tensor, *_: Any) -> tuple[torch.Tensor, torch.Tensor]:
    return query.new_empty(query.transpose(1, 2).shape), query.new_empty(query.shape[:3], dtype=torch.float32)


@_attend_backward.register_fake
def _(_gradient: torch.Tensor, *inputs: Any) -> tuple[torch.Tensor, ...]:
    # What the operation makes lies in order, however its inputs lie: a compiler builds on it.
    return tuple(entry.new_empty(entry.shape) for entry in inputs[:3])


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, torch.Tensor]) -> None:
    query, key, value, documents, ctx.group_name, ctx.scale = inputs
    ctx.save_for_backward(query, key, value, *output, documents)
    ctx.mark_non_differentiable(output[1])


def _backward(ctx: Any, gradient: torch.Tensor, _of_lse: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    return (*_attend_backward(gradient, *ctx.saved_tensors, ctx.group_name, ctx.scale), None, None, None)


_attend.register_autograd(_backward, setup_context=_keep)
