"""The step that follows a backward pass, the same for the engines whose gradients are torch's."""

from __future__ import annotations

import torch
from torch.optim.lr_scheduler import LambdaLR

from .. import gradients
from ..network import Network
from ..scaling import LossScale
from ..stage import Run


def take_step(run: Run, network: Network, optimizer: torch.optim.Optimizer, schedule: LambdaLR, scaling: LossScale) -> float:
    """Unscales, clips and steps; returns the gradient norm before clipping. The weights stay where it is not finite.

    So does the schedule where a loss scale was too large; otherwise the learning rate goes on.
    """
    gradients.divide(network.parameters, scaling.value)
    norm = gradients.clip(network.parameters, run.plan.clip, run.meshes).item()
    taken = scaling.judge(norm)
    if taken:
        optimizer.step()
    if taken or not scaling.dynamic:
        schedule.step()
    optimizer.zero_grad()
    network.stepped(taken)
    return norm
