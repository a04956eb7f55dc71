"""What all loops start from: the plan, the same tokens in memory, the same first weights."""

from __future__ import annotations

import os

import setting  # noqa: F401 - puts trainc on the path
import torch
from trainc.runtime.planfile import RunPlan
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel


class Tokens:
    """Random tokens, the same in every process: `inputs` and `targets` (samples, sequence) in memory."""

    def __init__(self, plan: RunPlan) -> None:
        count = plan.batch.global_size * plan.schedule.total_steps
        vocab = plan.model.config["vocab_size"]
        rows = torch.randint(vocab, (count, plan.data.sequence + 1), generator=torch.Generator().manual_seed(1))
        self.inputs, self.targets = rows[:, :-1].contiguous(), rows[:, 1:].contiguous()

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.inputs[index], self.targets[index]


class Labelled:
    """The same tokens as transformers' models take them: targets that are shifted already have a name of their own."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self._tokens)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        inputs, targets = self._tokens[index]
        return {"input_ids": inputs, "labels": targets, "shift_labels": targets}


def model_of(plan: RunPlan) -> PreTrainedModel:
    """The plan's model with its first weights, on the CPU."""
    config = AutoConfig.for_model(plan.model.model_type, **plan.model.config)
    torch.manual_seed(plan.seed)
    return AutoModelForCausalLM.from_config(config, attn_implementation=plan.model.attention).train()


def optimizer_of(model: torch.nn.Module, plan: RunPlan) -> torch.optim.AdamW:
    """Fused AdamW, weight decay on matrices."""
    settings, parameters = plan.optimizer, list(model.parameters())
    groups = [
        {"params": [entry for entry in parameters if entry.ndim >= 2], "weight_decay": settings.weight_decay},
        {"params": [entry for entry in parameters if entry.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=settings.lr, betas=tuple(settings.betas), eps=settings.eps, fused=True)


def device_of(plan: RunPlan) -> torch.device:
    """A GPU of this process's own, or the CPU."""
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if torch.cuda.device_count() < plan.gpus_per_node:
        return torch.device("cpu")
    torch.cuda.set_device(local)
    return torch.device("cuda", local)
