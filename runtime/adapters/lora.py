"""LoRA (Hu et al. 2021, arXiv:2106.09685), PEFT's."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from ..planfile import RunAdapter
from .inject import inject

__all__ = ["apply", "configuration"]

apply = inject


def configuration(model: PreTrainedModel, settings: RunAdapter, **more: Any) -> Any:
    """The settings in PEFT's words; `more` is what an adapter of its kind adds."""
    from peft import LoraConfig

    return LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        rank_pattern={settings.targets[name]: rank for name, rank in (settings.ranks or {}).items()},
        lora_alpha=settings.alpha,
        use_rslora=settings.rank_stabilized,
        init_lora_weights=settings.init == "kaiming" or settings.init,
        target_modules=list(settings.targets.values()),
        # GPT-2's matrices are the other way round.
        fan_in_fan_out=any(isinstance(module, Conv1D) for module in model.modules()),
        **more,
    )
