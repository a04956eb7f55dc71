"""DoRA (Liu et al. 2024, arXiv:2402.09353), PEFT's."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedModel

from ..planfile import RunAdapter
from . import lora
from .inject import inject

__all__ = ["apply", "configuration"]

apply = inject


def configuration(model: PreTrainedModel, settings: RunAdapter) -> Any:
    """LoRA's, with learned lengths."""
    return lora.configuration(model, settings, use_dora=True)
