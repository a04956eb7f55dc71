"""The loop of accelerate's documentation."""

from __future__ import annotations

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from trainc.runtime.planfile import RunPlan
from training import Labelled, Tokens, device_of, model_of, optimizer_of
from turns import Turns


def train(plan: RunPlan, turns: Turns) -> list[float]:
    """Losses of the steps that are read."""
    accelerator = Accelerator(
        cpu=device_of(plan).type == "cpu",
        mixed_precision="bf16" if plan.precision.compute == "bf16" else "no",
        gradient_accumulation_steps=plan.batch.accumulation,
    )
    model = model_of(plan)
    loader = DataLoader(Labelled(Tokens(plan)), batch_size=plan.batch.micro)
    model, optimizer, loader = accelerator.prepare(model, optimizer_of(model, plan), loader)
    losses: list[float] = []
    parts: list[torch.Tensor] = []
    step, begins = 0, True
    for batch in loader:
        if begins:
            turns.step()
        with accelerator.accumulate(model):
            loss = model(**batch, use_cache=False).loss
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), plan.clip)
            optimizer.step()
            optimizer.zero_grad()
        parts.append(loss.detach())
        begins = accelerator.sync_gradients
        if begins:
            step += 1
            if step % plan.logging.every_steps == 0:
                losses.append(accelerator.gather(torch.stack(parts).mean()).mean().item())
            parts.clear()
    return losses
