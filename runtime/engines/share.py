"""This rank's part of a micro-batch that its neighbours along cp and tp hold as well."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch.distributed.tensor.parallel import loss_parallel
from transformers import PretrainedConfig
from transformers.masking_utils import create_masks_for_generate

from ..context.parts import own_tokens
from ..data import Batch
from ..network import DTYPES, Network
from ..stage import Run


def own_part(batch: Batch, network: Network, run: Run) -> Batch:
    """What this rank computes, on its device; with positions of tokens and their masks where a model cannot find them itself."""
    batch, mesh = batch.to(run.device), run.plan.mesh
    if mesh.cp > 1:
        return own_tokens(batch, mesh, run.meshes.index("cp"))
    if mesh.sequence_parallel:
        # A model counts positions in hidden states, of which each rank has a part only.
        counted = torch.arange(batch.inputs.shape[1], device=run.device).expand_as(batch.inputs)
        positions = counted if batch.positions is None else batch.positions
        return replace(batch, positions=positions, masks=_masks(network.model.config, positions, run))
    return batch


def _masks(config: PretrainedConfig, positions: torch.Tensor, run: Run) -> Any:
    """What the model would make of whole sequences; None where attention needs no mask."""
    shape = torch.empty((*positions.shape, 0), dtype=DTYPES[run.plan.precision.compute], device=run.device)
    return create_masks_for_generate(config, inputs_embeds=shape, attention_mask=None, cache=None, position_ids=positions)


def cut_losses(run: Run) -> AbstractContextManager[None]:
    """What surrounds a loss and its backward pass where logits are cut along the vocabulary."""
    return loss_parallel() if run.meshes.size("tp") > 1 else nullcontext()
