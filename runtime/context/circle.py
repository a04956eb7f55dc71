"""Ranks that hand tensors to their next neighbour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True, slots=True)
class Handed:
    """Something on its way; what is sent must not change before it has arrived."""

    requests: list[dist.Work]
    sent: torch.Tensor
    received: torch.Tensor

    def wait(self) -> torch.Tensor:
        """What the neighbour before has sent."""
        for request in self.requests:
            request.wait()
        return self.received


@dataclass(frozen=True, slots=True)
class Circle:
    """The ranks of a group, the first next to the last."""

    group: dist.ProcessGroup

    @property
    def rank(self) -> int:
        """Where this rank stands."""
        return self.group.rank()

    @property
    def size(self) -> int:
        """How many there are."""
        return self.group.size()

    def pass_on(self, tensor: torch.Tensor) -> Handed:
        """Sends a contiguous tensor to the next rank and receives one of the same shape from the rank before."""
        received = torch.empty_like(tensor)
        after, before = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        requests = dist.batch_isend_irecv(
            [
                dist.P2POp(dist.isend, tensor, group=self.group, group_peer=after),
                dist.P2POp(dist.irecv, received, group=self.group, group_peer=before),
            ]
        )
        return Handed(requests, tensor, received)

    def round(self, tensor: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
        """The tensors of all ranks with theirs, this one's first; the next is on its way while one is used."""
        for step in range(self.size):
            coming = self.pass_on(tensor) if step + 1 < self.size else None
            yield (self.rank - step) % self.size, tensor
            if coming is not None:
                tensor = coming.wait()
