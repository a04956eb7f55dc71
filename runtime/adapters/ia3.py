"""IA3 (Liu et al. 2022, arXiv:2205.05638), PEFT's."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from ..planfile import RunAdapter
from .inject import inject

__all__ = ["apply", "configuration"]

apply = inject


def configuration(model: PreTrainedModel, settings: RunAdapter) -> Any:
    """Factors of what the targets make, and of what `down` reads."""
    from peft import IA3Config

    return IA3Config(
        task_type="CAUSAL_LM",
        target_modules=list(settings.targets.values()),
        feedforward_modules=[path for name, path in settings.targets.items() if name == "down"],
        fan_in_fan_out=any(isinstance(module, Conv1D) for module in model.modules()),
    )
