"""This rank's part of a micro-batch that its neighbours along cp and tp hold as well."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import torch
from torch.distributed.tensor.parallel import loss_parallel

from ..data import Batch
from ..stage import Run


def own_part(batch: Batch, run: Run) -> Batch:
    """The batch on this rank's device; with the positions of its tokens where a model cannot count them itself."""
    batch = batch.to(run.device)
    if run.plan.mesh.sequence_parallel:
        # A model counts positions from hidden states, of which each rank has a part only.
        positions = torch.arange(batch.inputs.shape[1], device=run.device).expand_as(batch.inputs)
        return replace(batch, positions=positions)
    return batch


def cut_losses(run: Run) -> AbstractContextManager[None]:
    """What surrounds a loss and its backward pass where logits are cut along the vocabulary."""
    return loss_parallel() if run.meshes.size("tp") > 1 else nullcontext()
