"""Writes a trained adapter in PEFT's own format, and gives the model back with the adapter's part in its matrices."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import PreTrainedModel

from ..errors import StageError
from ..planfile import RunAdapter, RunModel
from .inject import NAME, configure


def merged(
    model: PreTrainedModel, weights: dict[str, torch.Tensor], settings: RunAdapter, base: RunModel, folder: Path
) -> PreTrainedModel:
    """A model on the meta device with these weights, merged; the adapter alone is left in `folder`."""
    from peft import get_peft_model

    with torch.device("meta"):
        wrapped = get_peft_model(model, configure(model, settings), adapter_name=NAME, autocast_adapter_dtype=False)
    inner = wrapped.get_base_model()
    # A tied head may be among the weights once only.
    inner.load_state_dict(weights, assign=True, strict=False)
    inner.tie_weights()
    if absent := [name for name, entry in inner.named_parameters() if entry.is_meta]:
        raise StageError(f"the weights to export lack {', '.join(absent)}")
    wrapped.peft_config[NAME].base_model_name_or_path = base.path if base.source == "hf" else None
    wrapped.save_pretrained(str(folder), save_embedding_layers=False)
    whole: PreTrainedModel = wrapped.merge_and_unload()
    return whole
