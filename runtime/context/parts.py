"""Which tokens of a sequence a rank of the axis cp holds."""

from __future__ import annotations

from dataclasses import replace

import torch

from ..data import Batch
from ..planfile import RunMesh


def own_places(method: str, sequence: int, ranks: int, rank: int) -> torch.Tensor:
    """The places of a rank's tokens in their sequence, ascending.

    Under a causal mask later tokens see more: for `ring` a rank holds the chunks `rank` and `2 ranks - 1 - rank` of twice as many
    as there are ranks, so that all have the same work (Brandon et al. 2023, arXiv:2311.09431, stripe single tokens for the same
    end; torch's own context parallelism pairs chunks like this). `ulysses` computes whole sequences: parts lie in one piece.
    """
    if method == "ulysses":
        return torch.arange(sequence).chunk(ranks)[rank]
    chunks = torch.arange(sequence).chunk(2 * ranks)
    return torch.cat([chunks[rank], chunks[2 * ranks - 1 - rank]])


def own_tokens(batch: Batch, mesh: RunMesh, rank: int) -> Batch:
    """A rank's part of every sample of a batch, with the positions of its tokens.

    Where the positions start again, at a document, the whole samples' `documents` come along: for each token the place at which
    its document starts.
    """
    sequence = batch.inputs.shape[1]
    places = torch.arange(sequence, device=batch.inputs.device)
    mine = own_places(mesh.cp_method, sequence, mesh.cp, rank).to(batch.inputs.device)
    positions = places.expand_as(batch.inputs) if batch.positions is None else batch.positions
    return replace(
        batch,
        inputs=batch.inputs[:, mine],
        targets=batch.targets[:, mine],
        positions=positions[:, mine],
        documents=None if batch.positions is None else places - batch.positions,
    )
