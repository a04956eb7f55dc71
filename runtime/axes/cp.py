"""Context parallelism: each rank holds a part of every sequence, and attention goes over all of it.

torch's own (`torch.distributed.tensor.experimental.context_parallel`) knows attention on GPUs only and no documents, so that
nothing of it could be tested on a CPU: both methods here are ours, and the same on every device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from transformers import PreTrainedModel
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from ..context import ring, ulysses
from ..errors import StageError
from ..planfile import RunPlan
from ..stage import Run

METHODS: dict[str, Callable[..., torch.Tensor]] = {"ring": ring.attend, "ulysses": ulysses.attend}


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> None:
    """Makes the mesh's method the model's attention; engines then feed each rank its own part of a batch."""
    _refuse_unsupported(model, plan.data.sequence)
    method = plan.mesh.cp_method
    ALL_ATTENTION_FUNCTIONS.register(method, _attention(METHODS[method], run.meshes.samples.get_group("cp")))
    # A mask of the local length would mean nothing: the methods know what each token sees.
    ALL_MASK_ATTENTION_FUNCTIONS.register(method, _no_mask)
    model.config._attn_implementation = method


def _attention(attend: Callable[..., torch.Tensor], group: dist.ProcessGroup) -> Callable[..., tuple[torch.Tensor, None]]:
    def attention(
        _module: nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        _mask: None,
        *,
        scaling: float,
        documents: torch.Tensor | None = None,
        **_settings: Any,
    ) -> tuple[torch.Tensor, None]:
        return attend(query, key, value, documents, group, scaling), None

    return attention


def _no_mask(**_settings: Any) -> None:
    return None


def _refuse_unsupported(model: PreTrainedModel, sequence: int) -> None:
    """Weights can bring along what neither method computes."""
    window = getattr(model.config, "sliding_window", None)
    narrow = {"sliding_window": window} if window is not None and window < sequence else {}
    bounds = {name: getattr(model.config, name, None) for name in ("attn_logit_softcapping", "attention_dropout", "attn_pdrop")}
    for name, value in {**narrow, **bounds}.items():
        if value:
            raise StageError(f"the model has `{name}` {value}, which attention over a split sequence does not know: set cp = 1")
