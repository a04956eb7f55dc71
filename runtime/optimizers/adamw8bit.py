"""AdamW with moments in 8 bits, which share scales in blocks of 256 (Dettmers et al. 2022, arXiv:2110.02861): torchao's.

A rank's part of a tensor that has less than 4096 entries, or no whole blocks, keeps moments in the parameters' dtype: what is small
enough for that depends on the number of ranks (pytorch/ao#4912).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import torch

from ..compilation import refuse_without_compiler
from ..errors import StageError
from ..network import Network
from ..parameter_groups import betas, groups
from ..planfile import RunOptimizer


def build(network: Network, settings: RunOptimizer) -> torch.optim.Optimizer:
    """Steps shards where they lie; torch.compile makes the step of each shape when it is first taken."""
    if importlib.util.find_spec("torchao") is None:
        raise StageError("adamw8bit needs the package torchao: install it, or set optimizer = adamw")
    refuse_without_compiler(network.parameters[0].device, "the step of adamw8bit", "optimizer = adamw")
    from torchao.optim import AdamW8bit

    class PlainRates(AdamW8bit):  # type: ignore[misc]
        """Keeps rates as numbers, which schedules and checkpoints expect, and shows torchao the tensors that it compiles for."""

        def add_param_group(self, param_group: dict[str, object]) -> None:
            rate = param_group["lr"]
            super().add_param_group(param_group)
            self.param_groups[-1]["lr"] = rate

        def step(self, closure: Callable[[], float] | None = None) -> None:
            rates = [group["lr"] for group in self.param_groups]
            for group in self.param_groups:
                group["lr"] = torch.tensor(group["lr"], dtype=torch.float32)
            super().step(closure)
            for group, rate in zip(self.param_groups, rates, strict=True):
                group["lr"] = rate

    return PlainRates(groups(network, settings), lr=settings.lr, betas=betas(settings), eps=settings.eps)
