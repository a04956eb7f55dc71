"""Attention over sequences that ranks share: what whole sequences give, output and gradients."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import warm
from meshes import laid_out
from trainc.runtime.context import blocks, ring
from trainc.runtime.context.blocks import Made, Sight
from trainc.runtime.context.parts import own_places, own_tokens
from trainc.runtime.data import Batch
from trainc.runtime.planfile import RunMesh

SCRIPT = Path(__file__).with_name("attention_over_ranks.py")


def mesh(method: str, ranks: int) -> RunMesh:
    return laid_out(cp=ranks, cp_method=method)


def drawn(*shapes: tuple[int, ...]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator) for shape in shapes]


@pytest.mark.parametrize("method", ["ring", "ulysses"])
def test_the_ranks_parts_are_the_sequence(method: str) -> None:
    parts = [own_places(method, 24, 3, rank) for rank in range(3)]
    assert sorted(torch.cat(parts).tolist()) == list(range(24))
    assert {len(part) for part in parts} == {8}


def test_the_ranks_of_a_ring_see_equally_much() -> None:
    # A causal token at place p sees p + 1 others.
    assert len({int((own_places("ring", 64, 4, rank) + 1).sum()) for rank in range(4)}) == 1


@pytest.mark.parametrize("method", ["ring", "ulysses"])
def test_tokens_keep_their_targets_positions_and_documents(method: str) -> None:
    tokens = torch.arange(100, 116)[None]
    positions = torch.tensor([[0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]])
    batch = Batch(tokens, tokens + 1, (0,), positions)
    part = own_tokens(batch, mesh(method, 4), rank=1)
    places = part.inputs[0] - 100
    assert part.targets.tolist() == (part.inputs + 1).tolist()
    assert part.positions is not None
    assert part.documents is not None
    assert part.positions[0].tolist() == positions[0, places].tolist()
    assert part.documents[0].tolist() == [0] * 5 + [5] * 10 + [15]


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_tiles_give_what_the_kernel_gives(diagonal: bool, packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "TILE", 5)
    query, key, value, gradient = drawn((2, 6, 13, 8), (2, 3, 13, 8), (2, 3, 13, 8), (2, 6, 13, 8))
    places = torch.arange(13)
    # In the second sample the last queries' document starts after every key that does not lie on the diagonal.
    starts = torch.stack([places // 4 * 4, torch.where(places < 9, 0, 9)]) + (0 if diagonal else 4)
    sight = Sight(diagonal, starts if packed else None, places + (0 if diagonal else 13), places)
    out, lse = blocks.forward(query, key, value, sight, 0.3)
    tiled_out, tiled_lse = blocks.tiled_forward(query, key, value, sight, 0.3)
    torch.testing.assert_close(tiled_out, out, atol=2e-6, rtol=0)
    torch.testing.assert_close(tiled_lse, lse, atol=2e-6, rtol=0)
    # The log-sum-exp of a whole pass is finite: each token sees itself.
    made = Made(out, lse.masked_fill(lse == -torch.inf, 0.0), gradient)
    expected = blocks.backward(query, key, value, made, sight, 0.3)
    for found, wanted in zip(blocks.tiled_backward(query, key, value, made, sight, 0.3), expected, strict=True):
        torch.testing.assert_close(found, wanted, atol=5e-6, rtol=0)


def test_a_gpus_kernel_takes_what_it_is_given() -> None:
    query, key = torch.empty(2, 8, 16, 64, device="meta"), torch.empty(2, 8, 16, 64, device="meta")
    places = torch.arange(16)
    out, lse = blocks.flash_forward(query, key, key, Sight(True, None, places, places), 0.125)
    assert (out.shape, lse.shape, lse.dtype) == (query.shape, query.shape[:3], torch.float32)
    found = blocks.flash_backward(query, key, key, Made(out, lse, out), Sight(True, None, places, places), 0.125)
    assert [entry.shape for entry in found] == [query.shape, key.shape, key.shape]


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_find_what_one_process_finds(ranks: int) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SCRIPT.parents[2] / ".src")}
    done = warm.run(SCRIPT, ranks, environment, timeout_seconds=240)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert {method for method, *_ in found} == {"ring", "ring, tiled", "ulysses"}
    # Many small tiles are many roundings.
    allowed = {"ring": 1e-6, "ring, tiled": 2e-6, "ulysses": 1e-6}
    assert [case for case in found if max(case[-1]) > allowed[case[0]]] == []


class Alone:
    """A circle of one rank, whose messages come back at once."""

    rank, size = 0, 1

    def __init__(self, group: object) -> None:
        self.arrived = torch.empty(0)

    def round(self, pair: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
        yield 0, pair

    def pass_on(self, sent: torch.Tensor) -> Alone:
        self.arrived = sent.clone()
        return self

    def wait(self) -> torch.Tensor:
        return self.arrived


def test_a_compiler_is_told_how_gradients_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ring, "Circle", Alone)
    monkeypatch.setattr(ring, "_resolve_process_group", lambda name: name)
    # As a projection leaves them: heads beside each other, token after token.
    query, key, value = (entry.transpose(1, 2) for entry in drawn((2, 8, 4, 16), (2, 8, 2, 16), (2, 8, 2, 16)))
    asked = (None, "alone", 0.25)
    out, lse = ring._attend(query, key, value, *asked)
    given = (torch.ones_like(out), query, key, value, out, lse, *asked)
    assert torch.library.opcheck(ring._attend_backward, given, test_utils="test_faketensor") == {"test_faketensor": "SUCCESS"}
