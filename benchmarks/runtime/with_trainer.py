"""transformers' Trainer, with its defaults wherever a setting is not the plan's."""

from __future__ import annotations

import tempfile
from typing import Any

from trainc.runtime.planfile import RunPlan
from training import Labelled, Tokens, device_of, model_of
from transformers import Trainer, TrainerCallback, TrainingArguments
from turns import Turns


class _Steps(TrainerCallback):
    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        self._turns.step()


def train(plan: RunPlan, turns: Turns) -> list[float]:
    """Losses of the steps that are read, means over those since the last one."""
    settings = plan.optimizer
    arguments = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        use_cpu=device_of(plan).type == "cpu",
        bf16=plan.precision.compute == "bf16",
        per_device_train_batch_size=plan.batch.micro,
        gradient_accumulation_steps=plan.batch.accumulation,
        max_steps=plan.schedule.total_steps,
        optim="adamw_torch_fused",
        learning_rate=settings.lr,
        adam_beta1=settings.betas[0],
        adam_beta2=settings.betas[1],
        adam_epsilon=settings.eps,
        weight_decay=settings.weight_decay,
        max_grad_norm=plan.clip,
        lr_scheduler_type="constant",
        train_sampling_strategy="sequential",
        remove_unused_columns=False,
        logging_steps=plan.logging.every_steps,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=plan.seed,
    )
    trainer = Trainer(model_of(plan), arguments, train_dataset=Labelled(Tokens(plan)), callbacks=[_Steps(turns)])
    trainer.train()
    return [row["loss"] for row in trainer.state.log_history if "loss" in row]
