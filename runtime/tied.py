"""Keeps the two copies of a matrix that is embedding and head at once equal, where pp holds them in different parts.

The embedding is the one that the optimizer changes: it takes the head's gradient on, and the head takes its values over. So the
pair counts once in the gradient's norm, and has moments once.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import DTensor

from .axes.pp import parts_of
from .layers import Elsewhere
from .network import Network
from .stage import Run


class Tie:
    """The embedding and its copy; does nothing where the head is a matrix of its own, or neither changes."""

    def __init__(self, network: Network, run: Run) -> None:
        mesh, model = run.plan.mesh, network.model
        holders = {part.index: place for place in range(mesh.pp) for part in parts_of(mesh, place)}
        self._group = run.meshes.states.get_group("pp")
        self._first, self._last = holders[0], holders[len(mesh.split) - 1]
        # Beside an adapter neither of the two changes.
        tied = model.config.tie_word_embeddings and run.plan.adapter is None
        self._embedding = _weight(model.get_input_embeddings()) if tied else None
        self._head = _weight(model.get_output_embeddings()) if tied else None

    def join_gradients(self) -> None:
        """Adds the head's gradient to the embedding's; the head keeps none."""
        arrived = self._carry(_gradient(self._head), _gradient(self._embedding), self._last, self._first)
        if arrived is not None:
            _own(_gradient(self._embedding)).add_(arrived)
        if self._head is not None:
            self._head.grad = None

    def copy_weights(self) -> None:
        """Gives the head the embedding's values."""
        arrived = self._carry(self._embedding, self._head, self._first, self._last)
        if arrived is not None:
            _own(self._head).copy_(arrived)

    def _carry(self, sent: torch.Tensor | None, like: torch.Tensor | None, start: int, end: int) -> torch.Tensor | None:
        """What the rank `start` sends, at the rank `end`, whose tensor `like` is laid out alike; None on the other ranks."""
        if start == end:
            return None if sent is None else _own(sent)
        if sent is not None:
            dist.send(_own(sent), group=self._group, group_dst=end)
        if like is None:
            return None
        arrived = torch.empty_like(_own(like))
        dist.recv(arrived, group=self._group, group_src=start)
        return arrived


def _weight(module: nn.Module) -> nn.Parameter | None:
    return None if isinstance(module, Elsewhere) else module.weight


def _gradient(parameter: nn.Parameter | None) -> torch.Tensor | None:
    return None if parameter is None else parameter.grad


def _own(tensor: torch.Tensor | None) -> torch.Tensor:
    """This rank's part of a tensor that is here."""
    assert tensor is not None, "only the rank that holds the matrix asks"
    return tensor.detach().to_local() if isinstance(tensor, DTensor) else tensor.detach()
