"""Attends over ranks and in one process; rank 0 prints how far they lie apart, as a share of the largest entry.

Each case: the method, its shape, whether documents are apart, and the differences of output and three gradients.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch.nn.functional import scaled_dot_product_attention
from trainc.runtime.context import blocks, ring, ulysses
from trainc.runtime.context.parts import own_places

SCALE = 0.3
TILES = {"forward": blocks.tiled_forward, "backward": blocks.tiled_backward, "TILE": 7}
AS_IT_IS = {"TILE": blocks.TILE}
METHODS = {"ring": (ring.attend, AS_IT_IS), "ring, tiled": (ring.attend, TILES), "ulysses": (ulysses.attend, AS_IT_IS)}


def shapes(ranks: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Samples, heads, key heads, sequence, width; the last has fewer key heads than there are ranks."""
    yield 2, 4, 4, 2 * ranks, 8
    yield 3, 8, 4, 2 * ranks * 5, 8
    yield 1, 8, 4, 2 * ranks * 33, 24
    yield 1, 12, 1, 2 * ranks * 3, 16


def differences(method: str, shape: tuple[int, int, int, int, int], packed: bool) -> list[float]:
    """This rank's."""
    samples, heads, kv_heads, sequence, width = shape
    draw = torch.Generator().manual_seed(5)
    inputs = [torch.randn(samples, count, sequence, width, generator=draw) for count in (heads, kv_heads, kv_heads)]
    gradient = torch.randn(samples, sequence, heads, width, generator=draw)
    places = torch.arange(sequence)
    starts = (places * (torch.rand(samples, sequence, generator=draw) < 0.2)).cummax(1).values
    mask = ((places <= places[:, None]) & (places >= starts[..., None]))[:, None]
    group = dist.group.WORLD
    mine = own_places(method.partition(",")[0], sequence, group.size(), group.rank())

    whole = [entry.clone().requires_grad_() for entry in inputs]
    expected = scaled_dot_product_attention(
        *whole, attn_mask=mask if packed else None, is_causal=not packed, scale=SCALE, enable_gqa=True
    ).transpose(1, 2)
    expected.backward(gradient)
    part = [entry[:, :, mine].clone().requires_grad_() for entry in inputs]
    attend, patches = METHODS[method]
    with patch.multiple(blocks, **patches):
        found = attend(*part, starts if packed else None, group, SCALE)
        found.backward(gradient[:, mine])
    pairs = [(found, expected[:, mine]), *((own.grad, all_.grad[:, :, mine]) for own, all_ in zip(part, whole, strict=True))]
    return [((one - other).abs().max() / other.abs().max()).item() for one, other in pairs]


def main() -> None:
    """Every case, the largest difference of any rank."""
    dist.init_process_group("gloo")
    rows = []
    for shape in shapes(dist.get_world_size()):
        for packed in (False, True):
            for method in METHODS:
                apart = torch.tensor(differences(method, shape, packed))
                dist.all_reduce(apart, dist.ReduceOp.MAX)
                rows.append((method, shape, packed, apart.tolist()))
    if dist.get_rank() == 0:
        print(json.dumps(rows))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
