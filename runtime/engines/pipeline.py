"""Micro-batches on their way through the parts of a model that pp splits; torch's schedules give the order.

A part works on one micro-batch while its neighbours work on others (Huang et al. 2019, arXiv:1811.06965). A step's micro-batches
are the plan's accumulation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe, ScheduleInterleavedZeroBubble
from torch.distributed.pipelining.schedules import (
    OVERLAP_F_B,
    PipelineScheduleMulti,
    PipelineScheduleSingle,
    Schedule1F1B,
    ScheduleDualPipeV,
    ScheduleInterleaved1F1B,
    ScheduleZBVZeroBubble,
    _Action,
    _ComputationType,
)
from torch.optim.lr_scheduler import LambdaLR
from torch.utils._pytree import tree_map

from ..axes.pp import parts_of
from ..checkpoint import states
from ..data import Batch
from ..network import DTYPES, Network
from ..scaling import LossScale
from ..stage import Run
from ..tied import Tie
from .share import cut_losses, own_part
from .update import take_step

LossOfLogits = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

ORDERS: dict[str, type[PipelineScheduleSingle] | type[PipelineScheduleMulti]] = {
    "gpipe": ScheduleGPipe,
    "one_f_one_b": Schedule1F1B,
    "interleaved": ScheduleInterleaved1F1B,
    "zero_bubble": ScheduleInterleavedZeroBubble,
    "zbv": ScheduleZBVZeroBubble,
    "dualpipe_v": ScheduleDualPipeV,
}
_FORWARD = {
    _ComputationType.FORWARD,
    _ComputationType.SEND_F,
    _ComputationType.RECV_F,
    _ComputationType.UNSHARD,
    _ComputationType.RESHARD,
}


class Pipeline:
    """The engine of every stage with a pipeline axis. The rank with the last part knows the loss, the others say zero."""

    def __init__(
        self,
        run: Run,
        network: Network,
        loss: LossOfLogits,
        optimizer: torch.optim.Optimizer,
        schedule: LambdaLR,
        scaling: LossScale | None = None,
    ) -> None:
        self.network, self.optimizer, self.schedule = network, optimizer, schedule
        self.scaling = scaling or LossScale()
        self.evaluates = run.plan.batch.accumulation
        self._run = run
        self._tie = Tie(network, run)
        self._order = _order(run, network, loss)

    def accumulate(self, micro: list[Batch], targets: int) -> torch.Tensor:
        """Strategies average gradients over the ranks that see different tokens: the sum is scaled by their number."""
        meshes = self._run.meshes
        scale = self.scaling.value * meshes.size("dp") * meshes.size("cp") / max(1, targets)
        losses = self._pass(self._order.step, micro, scale)
        self._tie.join_gradients()
        return losses

    def update(self) -> float:
        """Clips and steps; a copied matrix follows the one that the optimizer changed."""
        norm = take_step(self._run, self.network, self.optimizer, self.schedule, self.scaling)
        self._tie.copy_weights()
        return norm

    def drop(self) -> None:
        """The rate is the next step's."""
        self.optimizer.zero_grad()
        self.network.stepped(False)
        self.schedule.step()

    def evaluate(self, micro: list[Batch]) -> torch.Tensor:
        """The micro-batches' sums, added up."""
        with self._forward_only():
            return self._pass(self._order.eval, micro, 1.0).sum()

    def save(self, folder: Path) -> None:
        """Weights and moments of each rank."""
        states.write(self.network, self.optimizer, folder)

    def load(self, folder: Path, world_size: int) -> None:
        """The same on this rank, whoever wrote them."""
        states.read(self.network, self.optimizer, folder)

    def _pass(self, through: Callable[..., object], micro: list[Batch], scale: float) -> torch.Tensor:
        """Sends the micro-batches through the parts; each one's summed loss."""
        batches = [own_part(batch, self.network, self._run) for batch in micro]
        hints = tree_map(_joined, *(batch.hints for batch in batches))
        losses: list[torch.Tensor] = []
        with self.network.autocast(), cut_losses(self._run):
            through(
                torch.cat([batch.inputs for batch in batches]),
                target=torch.cat([batch.targets for batch in batches]),
                losses=losses,
                return_outputs=False,
                loss_kwargs={"scale": scale},
                **hints,
            )
        if not losses:
            return torch.zeros(len(micro), device=self._run.device)
        return torch.stack(losses).detach() / scale / self._run.meshes.size("tp")

    @contextmanager
    def _forward_only(self) -> Iterator[None]:
        """Leaves the backward passes out: torch's own evaluation stops at those between parts of one rank."""
        if isinstance(self._order, PipelineScheduleSingle):
            yield
            return
        whole = self._order.pipeline_order_with_comms
        self._order.pipeline_order_with_comms = {rank: list(_forward(actions)) for rank, actions in whole.items()}
        try:
            yield
        finally:
            self._order.pipeline_order_with_comms = whole


def _order(run: Run, network: Network, loss: LossOfLogits) -> PipelineScheduleSingle | PipelineScheduleMulti:
    mesh = run.plan.mesh
    group = run.meshes.states.get_group("pp")
    # NCCL makes a group's communicator in its first collective, which all of its ranks have to join.
    dist.all_reduce(torch.zeros(1, device=run.device), group=group)

    def scaled(logits: torch.Tensor, targets: torch.Tensor, scale: float) -> torch.Tensor:
        return loss(logits, targets) * scale

    parts, stream = parts_of(mesh, run.meshes.index("pp")), _stream(run, network.model.config.hidden_size)
    # With the shapes known torch makes no trial pass, which would draw dropout masks and leave gradients.
    stages = [
        PipelineStage(
            module,
            part.index,
            part.count,
            run.device,
            input_args=_tokens(run) if part.first else stream,
            output_args=stream,
            group=group,
        )
        for part, module in zip(parts, network.parts, strict=True)
    ]
    kind = ORDERS[mesh.schedule]
    whole = stages[0] if issubclass(kind, PipelineScheduleSingle) else stages
    return kind(whole, run.plan.batch.accumulation, loss_fn=scaled, scale_grads=False)


def _joined(*of_each: Any) -> Any:
    """What each micro-batch brings along, in one tensor, which torch cuts again; anything else is the same for all."""
    return torch.cat(of_each) if isinstance(of_each[0], torch.Tensor) else of_each[0]


def _tokens(run: Run) -> torch.Tensor:
    return torch.empty(run.plan.batch.micro, run.plan.data.sequence, dtype=torch.int64, device="meta")


def _stream(run: Run, hidden: int) -> torch.Tensor:
    """What passes between parts: (batch, sequence of this rank, hidden)."""
    plan = run.plan
    ranks = plan.mesh.cp * (plan.mesh.tp if plan.mesh.sequence_parallel else 1)
    shape = plan.batch.micro, plan.data.sequence // ranks, hidden
    return torch.empty(shape, dtype=DTYPES[plan.precision.compute], device="meta", requires_grad=True)


def _forward(actions: list[_Action]) -> Iterator[_Action]:
    for action in actions:
        if action.computation_type is OVERLAP_F_B:
            yield from _forward(list(action.sub_actions or ()))
        elif action.computation_type in _FORWARD:
            yield action
