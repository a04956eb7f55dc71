"""Deals samples out to ranks and micro-batches.

The samples of a step are a function of the seed and the step alone. So the position in the data is the step, resuming is
starting the same loader at another step, and nothing depends on the number of ranks, micro-batches or workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.utils.data import DataLoader, Dataset

from ..planfile import RunBatch, RunData
from .samples import sample_at


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch: `targets[i]` is the token after `inputs[i]`; `samples` are their places in the token file.

    `positions` are the tokens' places in their sequences or documents, and `masks` what transformers made of them, for all layers
    or by their kind: where a model cannot find them itself. Where positions start again, attention sees no further back.
    Where a rank holds parts of sequences only, `documents` (batch, sequence) says for each token of the whole ones at which place
    its document starts.
    """

    inputs: torch.Tensor
    targets: torch.Tensor
    samples: tuple[int, ...]
    positions: torch.Tensor | None = None
    masks: torch.Tensor | dict[str, torch.Tensor] | None = None
    documents: torch.Tensor | None = None

    @property
    def hints(self) -> dict[str, Any]:
        """What a model is told beside its tokens."""
        said = {"position_ids": self.positions, "attention_mask": self.masks, "documents": self.documents}
        return {name: value for name, value in said.items() if value is not None}

    def to(self, device: torch.device) -> Batch:
        """The same batch on a device."""
        return self._each(lambda tensor: tensor.to(device, non_blocking=True))

    def pin_memory(self) -> Batch:
        """The same batch in memory that a GPU copies from directly; called by torch's loader."""
        return self._each(torch.Tensor.pin_memory)

    def _each(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Batch:
        # Masks and documents are found on the device.
        positions = None if self.positions is None else change(self.positions)
        return Batch(change(self.inputs), change(self.targets), self.samples, positions)


class TokenSamples(Protocol):
    """Anything that holds inputs, targets and, where documents are apart, positions by index."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> tuple[torch.Tensor, ...]: ...


def collate(samples: TokenSamples, indices: Sequence[int]) -> Batch:
    """The samples at these indices, stacked."""
    columns = zip(*(samples[index] for index in indices), strict=True)
    inputs, targets, *positions = (torch.stack(column) for column in columns)
    return Batch(inputs, targets, tuple(indices), *positions)


def step_samples(step: int, size: int, batch: RunBatch, data: RunData) -> list[int]:
    """The samples of one step's global batch, in order."""
    first = step * batch.global_size
    return [sample_at(first + offset, size, data.seed, data.shuffle) for offset in range(batch.global_size)]


def micro_batches(samples: TokenSamples, data: RunData, batch: RunBatch, share: int, first_step: int, pin: bool) -> Iterator[Batch]:
    """The micro-batches of the data-parallel rank `share` from `first_step` on, without end; each `accumulation` are one step's."""
    loader = DataLoader(
        _Collated(samples),
        sampler=_Deal(len(samples), data, batch, share, first_step),
        batch_size=None,
        num_workers=data.workers,
        pin_memory=pin,
        # Without one of its own the loader draws its workers' seed from the generator that dropout uses,
        # and a resumed run would go on with other masks.
        generator=torch.Generator(),
    )
    return iter(loader)


class _Collated(Dataset[Batch]):
    def __init__(self, samples: TokenSamples) -> None:
        self._samples = samples

    def __getitem__(self, indices: Sequence[int]) -> Batch:
        return collate(self._samples, indices)


@dataclass(frozen=True, slots=True)
class _Deal:
    size: int
    data: RunData
    batch: RunBatch
    share: int
    first_step: int

    def __iter__(self) -> Iterator[list[int]]:
        count = self.batch.micro * self.batch.accumulation
        step = self.first_step
        while True:
            mine = step_samples(step, self.size, self.batch, self.data)[self.share * count : (self.share + 1) * count]
            yield from (mine[start : start + self.batch.micro] for start in range(0, count, self.batch.micro))
            step += 1
