"""Follows the tensors that are alive and keeps the largest sum of their bytes."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

# Storages of their own that hold nothing: the tensors inside are counted.
_WRAPPERS = (AsyncCollectiveTensor, DTensor)


class PeakTracker(TorchDispatchMode):
    """Counts storages, real or fake, each once; what a kernel allocates inside itself is not seen."""

    def __init__(self) -> None:
        super().__init__()
        self._alive = WeakIdKeyDictionary(ref_type=weakref.ref)
        self._peaks: dict[str, int] = {}
        self._moment = ""

    def begin(self, moment: str) -> None:
        """Names what runs from here on; the peak of each name is kept apart."""
        self._moment = moment
        self._note()

    @property
    def peaks(self) -> dict[str, int]:
        """Bytes at the peak of each moment."""
        return dict(self._peaks)

    def reset(self) -> None:
        """Forgets the peaks, not the tensors."""
        self._peaks.clear()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(entry, _WRAPPERS) for entry in types):
            # The operations on what is inside arrive here by themselves.
            return NotImplemented
        result = func(*args, **(kwargs or {}))
        for value in tree_leaves(result):
            if isinstance(value, torch.Tensor) and not isinstance(value, _WRAPPERS) and value.device.type != "meta":
                self._alive[value.untyped_storage()] = None
        self._note()
        return result

    def _note(self) -> None:
        total = sum(storage.nbytes() for storage in list(self._alive.keys()))
        self._peaks[self._moment] = max(self._peaks.get(self._moment, 0), total)
